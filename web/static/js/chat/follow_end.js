// Keeps the end of the conversation in view while an answer arrives, until the user scrolls up.

const UP_KEYS = ["ArrowUp", "PageUp", "Home"];
let isFollowing = false;

/** Shows the end from now on. */
export function followEnd() {
  isFollowing = true;
  showEnd();
}

/** Shows the end, if the user has not left it. */
export function showEnd() {
  if (isFollowing) scrollTo(0, document.documentElement.scrollHeight);
}

const leave = () => (isFollowing = false);
addEventListener("wheel", (event) => event.deltaY < 0 && leave(), { passive: true });
addEventListener("touchmove", leave, { passive: true });
addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (UP_KEYS.includes(event.key) && !target.closest("textarea")) leave();
});
