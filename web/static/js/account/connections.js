// Connected accounts: sources that require the user's own account.

import { del, get, post } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { fill, h, toast } from "../dom.js";
import { t } from "../i18n.js";

const HERE = "/account/";
/** The services that "Connect all" has tried, so that a service that refuses does not cause an endless loop. */
const TRIED = "tributary-connections-tried";

export async function mount(place) {
  const [listed, providers] = await Promise.all([get("/authenticators/?items=100"), get("/searchproviders/").catch(() => [])]);
  const services = listed.results.filter((one) => one.active !== false);
  if (new URLSearchParams(location.search).get("connect") === "all" && (await connectNext(services))) return;
  history.replaceState(null, "", location.pathname + location.hash);
  draw(place, services, providers);
}

function draw(place, services, providers) {
  if (!services.length) return fill(place, h("p", { class: "empty-state" }, t("None of your sources require an account.")));
  const unconnected = services.filter((one) => !one.connected);
  const connected = services.filter((one) => one.connected);
  const reload = () => mount(place).catch((error) => toast(error.message, { bad: true }));
  fill(
    place,
    h("ul", { class: "item-list" }, services.map((one) => line(one, providers, reload))),
    services.length > 1 &&
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "soft", disabled: !unconnected.length, onclick: () => connectAll(services) }, t("Connect all")),
        h("button", { type: "button", class: "soft", disabled: !connected.length, onclick: () => disconnectAll(connected, reload) }, t("Disconnect all")),
      ),
  );
}

function line(service, providers, reload) {
  const needs = providers.filter((one) => [service.idp, service.name].includes(one.authenticator)).map((one) => one.name);
  const about = [
    service.connected ? h("span", { class: "state good" }, t("connected")) : h("span", { class: "state off" }, t("not connected")),
    service.connected && service.account,
    needs.length > 0 && t("for {sources}", { sources: needs.slice(0, 4).join(", ") }),
  ].filter(Boolean);
  const button = service.connected
    ? h("button", { type: "button", class: "soft small", "aria-label": t("Disconnect {service}", { service: service.name }), onclick: () => attempt(() => disconnect(service)).then(reload) }, t("Disconnect"))
    : h("button", { type: "button", class: "go small", "aria-label": t("Connect {service}", { service: service.name }), onclick: () => attempt(() => connect(service, HERE)) }, t("Connect"));
  return h("li", null, h("div", null, h("b", null, service.name), h("p", { class: "meta" }, about.map((one) => h("span", null, one)))), button);
}

/** Sends the browser to the service, which leads back to `next`. */
async function connect(service, next) {
  const { auth_url: address } = await post(`/authenticators/${service.idp}/connect/?next=${encodeURIComponent(next)}`);
  if (!/^https?:$/.test(new URL(address).protocol)) throw new Error(t("The service returned a URL that cannot be opened."));
  location.assign(address);
}

async function disconnect(service) {
  await del(`/authenticators/${service.idp}/connection/`);
  toast(t("{service} disconnected", { service: service.name }));
}

function connectAll(services) {
  sessionStorage.removeItem(TRIED);
  return connectNext(services);
}

/** Connects the next service that was not tried yet. Returns whether the browser leaves the page. */
async function connectNext(services) {
  const tried = JSON.parse(sessionStorage.getItem(TRIED) ?? "[]");
  const next = services.find((one) => !one.connected && !tried.includes(one.idp));
  if (!next) return false;
  sessionStorage.setItem(TRIED, JSON.stringify([...tried, next.idp]));
  return attempt(() => connect(next, `${HERE}?connect=all`));
}

async function disconnectAll(services, reload) {
  const sentence = t("Their sources will not be searched for you until you connect again.");
  if (!(await confirmAction({ title: t("Disconnect all?"), sentence, yes: t("Disconnect all") }))) return;
  for (const service of services) await attempt(() => disconnect(service));
  reload();
}

/** Runs an action and shows its error. Returns whether it succeeded. */
async function attempt(action) {
  try {
    await action();
    return true;
  } catch (error) {
    toast(error.message, { bad: true });
    return false;
  }
}
