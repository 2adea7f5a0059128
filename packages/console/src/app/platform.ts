/** Whether shortcuts use the command key. */
export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}
