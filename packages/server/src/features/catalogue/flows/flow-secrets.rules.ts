import type { Json } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';
import { secretMask } from '../../identity/audit/index.ts';
import type { StoredConfig } from './flows.store.ts';

/** A value of an extension point that is never shown (docs/design/api-settled.md 11). */
export interface HiddenValue {
  readonly nodeId: string;
  /** Below the node's config: `/url`, or `/headers/` and the name in lower case. */
  readonly path: string;
  /** JSON Pointer into the flow's config. */
  readonly pointer: string;
  /** Scheme, host and port of the url; empty without one. */
  readonly origin: string;
  /** Null: bullets were sent, the stored value stays. */
  readonly value: string | null;
}

/**
 * Returns the config as stored and shown, with bullets for hidden values, and the hidden values separately. Takes a
 * config that passed the flow check. Disabled nodes hide theirs too.
 */
export function hideSecrets(config: StoredConfig): {
  readonly config: StoredConfig;
  readonly values: readonly HiddenValue[];
} {
  const { nodes } = config;
  if (!Array.isArray(nodes)) return { config, values: [] };
  const values: HiddenValue[] = [];
  const shown = nodes.map((node: Json, at) => {
    if (!isObject(node) || node.type !== 'extension_point' || !isObject(node.config)) return node;
    return { ...node, config: hideInNode(String(node.id), node.config, `/nodes/${at}/config`, values) };
  });
  return { config: values.length === 0 ? config : { ...config, nodes: shown }, values };
}

function hideInNode(
  nodeId: string,
  config: { readonly [key: string]: Json },
  pointer: string,
  values: HiddenValue[],
): { readonly [key: string]: Json } {
  const url = typeof config.url === 'string' && URL.canParse(config.url) ? new URL(config.url) : null;
  const origin = url?.origin ?? '';
  let shown = config;
  if (url !== null && (url.username !== '' || url.password !== '')) {
    const isKept = url.password === '' && decodeURIComponent(url.username) === secretMask;
    const value = isKept ? null : `${url.username}:${url.password}`;
    values.push({ nodeId, path: '/url', pointer: `${pointer}/url`, origin, value });
    url.username = '';
    url.password = '';
    shown = { ...shown, url: url.href.replace('//', `//${secretMask}@`) };
  }
  if (!isObject(config.headers)) return shown;
  const headers = Object.entries(config.headers).map(([name, value]): [string, Json] => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    values.push({
      nodeId,
      path: `/headers/${name.toLowerCase()}`,
      pointer: `${pointer}/headers/${step}`,
      origin,
      value: value === secretMask ? null : String(value),
    });
    return [name, secretMask];
  });
  return { ...shown, headers: Object.fromEntries(headers) };
}
