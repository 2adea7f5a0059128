import { isObject } from '../../../platform/json.ts';
import { secretMask } from '../../identity/audit/index.ts';
import type { Payload } from './approvals.store.ts';

/** Names under which payloads of channels, flows and models carry secrets; judged by their ends, so that new ones are hidden too. */
const secretName =
  /(password|secret|token|credentials?|privateKey|apiKey|secretAccessKey|serviceAccount|authConfig|webhookUrl)$/i;

/** A payload as everyone may see it. */
export interface HiddenPayload {
  readonly shown: Payload;
  /** JSON Pointers of what bullets took the place of. */
  readonly paths: string[];
}

/**
 * Replaces secrets with bullets: values of telling names, values of headers, and users and passwords in addresses. Bullets
 * that were sent, and null, are no secrets.
 */
export function hidePayload(payload: Payload): HiddenPayload {
  const paths: string[] = [];
  return { shown: hideMembers(payload, '', false, paths), paths };
}

function hideMembers(source: Payload, pointer: string, areSecret: boolean, paths: string[]): Payload {
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => {
      const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const isSecret = areSecret || secretName.test(name);
      if (!isSecret) return [name, hideValue(value, inner, name, paths)];
      if (value === null || value === secretMask) return [name, value];
      paths.push(inner);
      return [name, secretMask];
    }),
  );
}

function hideValue(value: unknown, pointer: string, name: string, paths: string[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => hideValue(item, `${pointer}/${at}`, '', paths));
  if (isObject(value)) return hideMembers(value, pointer, name === 'headers', paths);
  if (typeof value !== 'string' || !value.includes('@') || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.username === '' && url.password === '') return value;
  if (url.password === '' && decodeURIComponent(url.username) === secretMask) return value;
  paths.push(pointer);
  url.username = '';
  url.password = '';
  return url.href.replace('//', `//${secretMask}@`);
}
