/** Returns the path of the public address without a trailing slash, which prefixes every path of this server. */
export function basePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/**
 * Takes the path of the public address off a request's target: some proxies do so themselves, others pass it on, and both
 * are understood. A public address whose path begins with `/api` is understood without its prefix only, because the API's own
 * paths begin so.
 */
export function createWithoutBase(publicUrl: string): ((target: string) => string) | null {
  const base = basePath(publicUrl);
  if (base === '' || base === '/api' || base.startsWith('/api/')) return null;
  return (target) => {
    if (!target.startsWith(base)) return target;
    const rest = target.slice(base.length);
    if (rest === '') return '/';
    if (rest.startsWith('/')) return rest;
    return rest.startsWith('?') ? `/${rest}` : target;
  };
}

/** True when `Accept` names HTML itself; `*\/*` is what programs send. */
export function asksForHtml(accept: string): boolean {
  return accept.split(',').some((each) => {
    const [type = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
