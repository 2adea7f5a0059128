/**
 * Returns the problem with an address for a provider to send browsers back to: its origin must be one of ours
 * (docs/design/quality.md T12). Null: none. `own`: addresses with accepted origins.
 */
export function redirectProblem(redirectUri: string, own: readonly string[]): string | null {
  if (!URL.canParse(redirectUri)) return 'must be a URL';
  const url = new URL(redirectUri);
  const isOwn = own.some((address) => new URL(address).origin === url.origin);
  if (!isOwn || !/^https?:$/.test(url.protocol))
    return 'must have the origin of NEXTAUTH_URL or be listed in SSO_REDIRECT_ALLOWLIST';
  const { username, password, search, hash } = url;
  // The token request repeats it to the letter, and query and fragment are the provider's to write.
  return username + password + search + hash === '' ? null : 'must not have a query, fragment or credentials';
}
