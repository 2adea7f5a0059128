/**
 * Lets Radix add its one style sheet (no scrolling behind a dialog) under our content security policy. Called once with
 * the nonce of the page, before anything is shown; the libraries below read this name.
 */
export function allowStyles(nonce: string): void {
  Object.assign(globalThis, { __webpack_nonce__: nonce });
}
