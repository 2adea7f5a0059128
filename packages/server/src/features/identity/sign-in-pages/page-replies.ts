import { pageHeaders } from '../../../http/answers/form-page.ts';
import { ownPath } from '../../../http/answers/pages.ts';
import { isOwnOrigin } from '../../../http/binding/credentials.ts';
import { type RequestFacts, reply } from '../../../http/handler.ts';
import { basePath } from '../../../http/web-paths.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type CallOperation, createCalls } from './page-calls.ts';
import type { PagePorts } from './pages.ports.ts';

type HeaderValues = Readonly<Record<string, string>>;

/** The answer of an operation that signs someone in, at once or after a second factor. */
interface SignInAnswer {
  readonly body: { readonly mfaToken?: string; readonly setupRequired?: true };
  readonly headers?: HeaderValues;
}

/** Cookies of the pages: their names and how many seconds they last. */
export const pageCookies = {
  /** Of the half sign-in that waits for its second factor. */
  step: { name: 'arbiter_mfa', seconds: 300 },
  /** The typed address, for the page that says what's wrong with it: it must not appear in the address bar. */
  typed: { name: 'arbiter_typed', seconds: 120 },
} as const;

type PageCookie = (typeof pageCookies)[keyof typeof pageCookies];

/** How the pages answer, and how they call the operations behind their forms. */
export interface PageReplies {
  /** Path of the server, without a slash at its end. */
  readonly base: string;
  readonly call: CallOperation;
  show(html: string, cookie?: string): ReturnType<typeof showReply>;
  /** Redirects to a page of ours. Leaves out parameters that are undefined or empty. */
  redirect(
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    cookie?: string,
  ): ReturnType<typeof redirectReply>;
  cookie(cookie: PageCookie, value: string): string;
  /** Redirects after a sign-in: into the tenant, or to the second factor. */
  enter(
    facts: RequestFacts,
    answer: SignInAnswer,
    returnTo: string | undefined,
  ): Promise<ReturnType<typeof redirectReply>>;
  /** Throws 403 for a form of another site, which must not sign anyone in or out (docs/design/quality.md T32). */
  checkOwnForm(headers: { readonly Origin?: string; readonly Host?: string }): void;
}

const showReply = (html: string, cookie?: string) =>
  reply(200, html, cookie === undefined ? pageHeaders : { ...pageHeaders, 'set-cookie': cookie });

const redirectReply = (location: string, cookie?: string) =>
  reply(303, null, {
    'cache-control': 'no-store',
    location,
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  });

export function createPageReplies({ publicUrl, operationHandlers }: PagePorts): PageReplies {
  const base = basePath(publicUrl);
  const call = createCalls(operationHandlers);
  const attributes = `; Path=${base}/login; HttpOnly; SameSite=Strict${publicUrl.startsWith('https:') ? '; Secure' : ''}`;
  const cookieText = ({ name, seconds }: PageCookie, value: string): string =>
    `${name}=${encodeURIComponent(value)}; Max-Age=${seconds}${attributes}`;
  const redirect: PageReplies['redirect'] = (path, query, cookie) => {
    const parameters = Object.entries(query).filter(
      (each): each is [string, string] => each[1] !== undefined && each[1] !== '',
    );
    const text = new URLSearchParams(parameters).toString();
    return redirectReply(base + (text === '' ? path : `${path}?${text}`), cookie);
  };
  return {
    base,
    call,
    show: showReply,
    redirect,
    cookie: cookieText,
    async enter(facts, answer, returnTo) {
      const { mfaToken, setupRequired } = answer.body;
      if (mfaToken === undefined) return redirect(ownPath(returnTo), {}, answer.headers?.['set-cookie']);
      if (setupRequired === true) await call('auth.mfa', facts, { action: 'setup', mfaToken });
      const step = setupRequired === true ? 'setup' : 'code';
      return redirect('/login', { step, returnTo }, cookieText(pageCookies.step, mfaToken));
    },
    checkOwnForm({ Origin, Host }) {
      const sent = { headers: { origin: Origin, host: Host }, rawHeaders: [] };
      if (Origin !== undefined && isOwnOrigin(sent, { publicUrl, corsAllowedOrigins: [] })) return;
      throw new AppError('csrf_header_required', {
        detail: 'This form was submitted from another page. Submit it here instead.',
      });
    },
  };
}

/** Returns the work's result, or the word for the error it threw. Errors without a word are thrown on. */
export async function refusedBy<T>(
  words: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    const word = error instanceof AppError ? words[error.code] : undefined;
    if (word === undefined) throw error;
    return word;
  }
}

/** Returns a cookie of the request; null if it is missing or another site wrote it. */
export function cookieFrom(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2);
    if (key !== name || value === '') continue;
    try {
      return decodeURIComponent(value);
    } catch {
      // Half an escape: not one of ours.
      return null;
    }
  }
  return null;
}
