import type { ConfigNode, FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { secretBullets } from '../../../forms/editing/inputs/secret-bullets.ts';

/** Returns unsaved work as the browser may store it: header values and credentials of webhooks become bullets (docs/adr/0107). */
export const withoutTypedSecrets = <Unsaved extends { readonly config?: FlowConfig }>(unsaved: Unsaved): Unsaved =>
  unsaved.config === undefined ? unsaved : { ...unsaved, config: hideIn(unsaved.config) };

const hideIn = (config: FlowConfig): FlowConfig => ({ ...config, nodes: config.nodes.map(hideInNode) });

/** User and password, up to the last `@` before the path. */
const credentials = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\\]*@/i;

function hideInNode(node: ConfigNode): ConfigNode {
  if (node.type !== 'extension_point' || node.config === undefined) return node;
  const { url, headers } = node.config;
  const names = typeof headers === 'object' && headers !== null ? Object.keys(headers) : [];
  return {
    ...node,
    config: {
      ...node.config,
      ...(typeof url === 'string' ? { url: url.trim().replace(credentials, `$1${secretBullets}@`) } : {}),
      ...(names.length === 0 ? {} : { headers: Object.fromEntries(names.map((name) => [name, secretBullets])) }),
    },
  };
}
