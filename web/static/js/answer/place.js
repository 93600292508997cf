// Position of a floating card. Pure arithmetic on rectangles.

const GAP = 8;

/**
 * Left and top of a card of `size` beside `anchor`, within `box`; all in the coordinates of the window. Below the
 * anchor, or above it where the window ends. The result counts from the corner of `box`.
 */
export function place(anchor, box, size, windowHeight) {
  const middle = anchor.left + anchor.width / 2 - size.width / 2;
  const rightmost = Math.max(box.left + GAP, box.right - size.width - GAP);
  const left = Math.min(Math.max(middle, box.left + GAP), rightmost);
  const isBelow = anchor.bottom + GAP + size.height <= windowHeight || anchor.top - GAP - size.height < 0;
  const top = isBelow ? anchor.bottom + GAP : anchor.top - GAP - size.height;
  return { left: left - box.left, top: top - box.top, isBelow };
}
