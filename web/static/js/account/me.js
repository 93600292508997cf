// The signed-in user, requested once.

import { get } from "../api.js";

let pending;

export const loadUser = () => (pending ??= get("/users/me/"));
