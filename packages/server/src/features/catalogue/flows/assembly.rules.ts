import type { AssemblyChange } from '@arbiter/contract';
import { baseFlowConfig } from '@arbiter/contract';
import type { StoredConfig } from './flows.store.ts';

/** What the rules need to know about a changed offer. */
export interface AssemblyOffer {
  readonly id: string;
  readonly status: string;
  readonly categoryId: string | null;
  readonly subCategoryId: string | null;
  readonly isDeleted: boolean;
}

export interface AssemblyResult {
  readonly draft: StoredConfig;
  readonly changes: readonly AssemblyChange[];
  /** False: the draft would be larger than a draft may be, and stays as it is. */
  readonly fits: boolean;
}

type ConfigMembers = { readonly [name: string]: unknown };

/** Maximum lists of an inventory node, and the size of a draft in bytes (docs/design/api-decisioning.md 7, 8). */
const longest = { categoryIds: 500, subCategoryIds: 500, offerIds: 5000 } as const;
const maxBytes = 256 * 1024;

const membersOf = (value: unknown): ConfigMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** IDs in a list, in one spelling: flows write them in any letter case. */
const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((entry) => (typeof entry === 'string' ? entry.toLowerCase() : '')) : [];

/**
 * The draft after the rules of auto-assembly, for the offers of one transaction (docs/design/api-decisioning.md 6). Everything
 * else of the draft stays as it is; the same draft comes back when no rule has anything to change.
 */
export function assemble(
  draft: StoredConfig,
  offers: readonly AssemblyOffer[],
  byteLength: (text: string) => number,
): AssemblyResult {
  const changes: AssemblyChange[] = [];
  let fits = true;
  let assembled = draft;
  if (hasNoNodes(draft)) {
    const { nodes } = baseFlowConfig;
    changes.push({ rule: 'fill_empty', path: '/nodes', before: draft.nodes ?? null, after: nodes });
    assembled = { ...draft, version: 2, nodes, flowConfig: draft.flowConfig ?? {} };
  } else if (Array.isArray(draft.nodes)) {
    const nodes: readonly unknown[] = draft.nodes;
    const edited = nodes.map((node, at) => {
      const members = membersOf(node);
      if (members.type !== 'inventory') return node;
      const config = membersOf(members.config);
      const next = withoutDead(withActive(config, offers, at, changes), offers, at, changes);
      fits &&= Object.entries(longest).every(([name, most]) => idsIn(next[name]).length <= most);
      return next === config ? node : { ...members, config: next };
    });
    if (changes.length > 0) assembled = { ...draft, nodes: edited };
  }
  if (changes.length > 0) fits &&= byteLength(JSON.stringify(assembled)) <= maxBytes;
  return { draft: fits ? assembled : draft, changes, fits };
}

/** A draft of the old form has stages in place of nodes. */
function hasNoNodes({ nodes, stages }: StoredConfig): boolean {
  return nodes === undefined || nodes === null ? stages === undefined : Array.isArray(nodes) && nodes.length === 0;
}

const listOfScope: ReadonlyMap<unknown, keyof typeof longest> = new Map<unknown, keyof typeof longest>([
  ['category', 'categoryIds'],
  ['subcategory', 'subCategoryIds'],
  ['offers', 'offerIds'],
  ['manual', 'offerIds'],
]);

/** `auto_include`: appends what the scope needs to contain the active offers. */
function withActive(
  config: ConfigMembers,
  offers: readonly AssemblyOffer[],
  at: number,
  changes: AssemblyChange[],
): ConfigMembers {
  const name = listOfScope.get(config.scope);
  if (config.autoInclude !== true || name === undefined) return config;
  const known = new Set(idsIn(config[name]));
  const list: unknown[] = Array.isArray(config[name]) ? [...config[name]] : [];
  const before = list.length;
  for (const offer of offers) {
    if (offer.status !== 'active' || offer.isDeleted) continue;
    const wanted =
      name === 'categoryIds' ? offer.categoryId : name === 'subCategoryIds' ? offer.subCategoryId : offer.id;
    if (wanted === null || known.has(wanted)) continue;
    known.add(wanted);
    changes.push({
      rule: 'auto_include',
      path: `/nodes/${at}/config/${name}/${list.length}`,
      before: null,
      after: wanted,
    });
    list.push(wanted);
  }
  return list.length === before ? config : { ...config, [name]: list };
}

/** `drop_dead`: archived and deleted offers leave `offerIds`, in any scope. */
function withoutDead(
  config: ConfigMembers,
  offers: readonly AssemblyOffer[],
  at: number,
  changes: AssemblyChange[],
): ConfigMembers {
  const dead = new Set(
    offers.filter(({ status, isDeleted }) => status === 'archived' || isDeleted).map(({ id }) => id),
  );
  if (dead.size === 0 || !Array.isArray(config.offerIds)) return config;
  const list: readonly unknown[] = config.offerIds;
  const ids = idsIn(list);
  const remaining = list.filter((_entry, place) => !dead.has(ids[place]!));
  if (remaining.length === list.length) return config;
  list.forEach((entry, place) => {
    if (!dead.has(ids[place]!)) return;
    changes.push({ rule: 'drop_dead', path: `/nodes/${at}/config/offerIds/${place}`, before: entry, after: null });
  });
  return { ...config, offerIds: remaining };
}
