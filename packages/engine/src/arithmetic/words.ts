/**
 * The two 32-bit words of a double: write `double[0]`, then read or write `words[HIGH]`, `words[LOW]`. One shared
 * buffer; the engine is single-threaded. The users write these three lines in place: called as functions they are not
 * all inlined in `pow`, and each call then boxes a number.
 */
export const double = new Float64Array(1);
export const words = new Int32Array(double.buffer);

double[0] = 1;
/** Index of sign, exponent and the top 20 bits of the fraction; depends on the machine's byte order. */
export const HIGH = words[1] === 0x3ff00000 ? 1 : 0;
export const LOW = 1 - HIGH;
