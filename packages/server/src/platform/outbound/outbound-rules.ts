import { isIP } from 'node:net';
import { mayReach, parseNetworks } from './outbound-addresses.ts';
import { mayUsePort } from './outbound-ports.ts';

/** Headers that would change whom a request reaches, or how it is framed (docs/design/quality.md T28). */
export const forbiddenHeaders =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/;

/** Problems of a tenant's address and headers that are known before calling them; null: none. */
export interface OutboundRules {
  /** `anyPort`: as in an `OutboundCall`. */
  urlProblem(url: string, options?: { readonly anyPort?: boolean }): string | null;
  headerProblem(name: string, value: string): string | null;
}

/**
 * Creates the outbound rules that can be checked when an address is saved. The IP addresses behind a name change, so
 * `createOutbound` judges them at each call.
 */
export function createOutboundRules({
  allowNetworks = [],
  allowHttp = false,
}: {
  readonly allowNetworks?: readonly string[];
  readonly allowHttp?: boolean;
}): OutboundRules {
  const allowed = parseNetworks(allowNetworks);
  return {
    urlProblem(text, { anyPort = false } = {}) {
      if (!URL.canParse(text)) return 'must be a URL';
      const url = new URL(text);
      const isSecure = url.protocol === 'https:';
      if (!isSecure && !(allowHttp && url.protocol === 'http:')) return 'must start with https://';
      const isOpen = anyPort && isSecure && url.port !== '0';
      if (url.port !== '' && !isOpen && !mayUsePort(isSecure ? 'https' : 'http', Number(url.port))) {
        return `uses the port ${url.port}, which is not allowed`;
      }
      const literal = url.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(literal) !== 0 && !mayReach(literal, allowed)) return 'is an address that calls must not reach';
      return null;
    },
    headerProblem(name, value) {
      if (!headerName.test(name)) return 'is not a valid header name';
      if (forbiddenHeaders.test(name)) return "is a header that can't be set";
      if (!headerValue.test(value)) return 'must be at most 4,096 characters of Latin-1 without line breaks';
      return null;
    },
  };
}
