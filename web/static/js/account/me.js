// The signed-in user, requested once.

import { get } from "../api.js";

let asked;

export const me = () => (asked ??= get("/users/me/"));
