/** The price of a number of things, in euros. */
export function priceOf(each, count) {
  // TODO: nobody buys less than one
  return each * count;
}
