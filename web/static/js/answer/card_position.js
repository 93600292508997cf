// Position of a floating card. Pure arithmetic on rectangles.

const GAP = 8;

/**
 * Left and top of a card of `size` next to `anchor`, within `box`; all in coordinates of the window. The card is below the
 * anchor, or above it at the end of the window. The result is relative to the corner of `box`.
 */
export function cardPosition(anchor, box, size, windowHeight) {
  const middle = anchor.left + anchor.width / 2 - size.width / 2;
  const rightmost = Math.max(box.left + GAP, box.right - size.width - GAP);
  const left = Math.min(Math.max(middle, box.left + GAP), rightmost);
  const isBelow = anchor.bottom + GAP + size.height <= windowHeight || anchor.top - GAP - size.height < 0;
  const top = isBelow ? anchor.bottom + GAP : anchor.top - GAP - size.height;
  return { left: left - box.left, top: top - box.top, isBelow };
}
