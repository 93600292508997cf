// The middle of some figures.

export const median = (figures) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)];
