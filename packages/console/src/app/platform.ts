/** True on systems whose commands go by the command key. */
export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}
