import type { Json } from '@arbiter/engine';
import { invalid } from '../../../../platform/app-error.ts';
import { type Members, membersOf, sameJson } from '../json.ts';
import type { FileProblem, KindRules, RuleContext, WantedBody } from './kind-rules.ts';

/** Draft of a flow created without one. */
const emptyDraft: Json = { version: 2, nodes: [], flowConfig: {} };

/** Returns what the file wants published: its own version, or the draft. Null: nothing. */
const publishedOf = (body: Members): Json => (Object.hasOwn(body, 'published') ? body.published! : draftOf(body));
const draftOf = (body: Members): Json => body.draft ?? emptyDraft;

/** Leaves out what follows from the rest. */
function shortened(body: Members): Members {
  const { draft = emptyDraft, published, ...rest } = body;
  return {
    ...rest,
    ...(sameJson(draft, emptyDraft) ? {} : { draft }),
    ...(published === undefined || sameJson(published, draft) ? {} : { published }),
  };
}

interface SecretPlace {
  readonly part: string;
  readonly nodeId: Json | undefined;
  readonly rest: string;
}

/** Which value of which node a JSON Pointer into a file means; null: none. */
function secretPlace(body: Members, pointer: string): SecretPlace | null {
  const [, part, number, rest] = /^\/(draft|published)\/nodes\/(\d+)(\/.+)$/.exec(pointer) ?? [];
  if (part === undefined || rest === undefined) return null;
  const { nodes } = membersOf(body[part]);
  const node = Array.isArray(nodes) ? membersOf(nodes[Number(number)]) : {};
  return { part, nodeId: node.id, rest };
}

async function publish(id: string, context: RuleContext): Promise<void> {
  await context.call('decisionFlows.publish', { body: { id } });
}

/**
 * A file contains the draft and what's published, which is left out when both are equal and null while nothing is
 * (docs/design/api-settled.md 26). Publishing makes a flow active and protected, so these two come after it.
 */
export const flowRules: KindRules = {
  whole: true,
  hides: ['draftConfig'],
  adds: ['draft', 'published'],
  changes: ['draft', 'published'],
  always: ['status', 'isProtected'],
  keeps: ['isDefault'],
  toFile(body, record) {
    const versions: Json = record.publishedVersions ?? [];
    const newest = Array.isArray(versions) ? membersOf(versions.at(-1)).configSnapshot : null;
    return shortened({ ...body, draft: record.draftConfig ?? emptyDraft, published: newest ?? null });
  },
  normalise: shortened,
  problems(body) {
    const isConfig = (value: Json | undefined) => value === undefined || !sameJson(membersOf(value), {});
    const found: FileProblem[] = [];
    if (!isConfig(body.draft)) found.push({ pointer: '/draft', message: 'must be a flow config' });
    if (body.published !== null && !isConfig(body.published)) {
      found.push({ pointer: '/published', message: 'must be a flow config, or null if nothing is published' });
    }
    if (body.isDefault === false) found.push({ pointer: '/isDefault', message: 'must be omitted unless it is true' });
    return found;
  },
  toCreate({ draft, published: _published, isProtected: _protected, ...rest }) {
    return { ...rest, draftConfig: draft ?? emptyDraft };
  },
  async create(wanted, context) {
    const { values, body } = wanted;
    const first = publishedOf(values);
    const { draft: _draft, published: _published, isProtected, ...rest } = values;
    const createdFlow = await context.call('decisionFlows.create', {
      body: { ...rest, draftConfig: first ?? draftOf(values) },
    });
    const id = String(membersOf(createdFlow).id);
    if (publishedOf(body) !== null) await publish(id, context);
    const after = {
      ...(Object.hasOwn(body, 'published') && first !== null ? { draftConfig: draftOf(values) } : {}),
      ...(values.status === undefined ? {} : { status: values.status }),
      ...(isProtected === undefined ? {} : { isProtected }),
    };
    if (Object.keys(after).length > 0) {
      await context.call('decisionFlows.updateById', { params: { id }, body: after });
    }
    return id;
  },
  async update(current, wanted, names, context) {
    const { values, body, defaults } = wanted;
    if (publishedOf(body) === null && publishedOf(current.body) !== null) {
      throw invalid('/published', "is null, but publishing can't be undone; set the status to paused");
    }
    const publishes = publishedOf(body) !== null && !sameJson(publishedOf(body), publishedOf(current.body));
    if (publishes) {
      await context.call('decisionFlows.updateById', {
        params: { id: current.id },
        body: { draftConfig: publishedOf(values) },
      });
      await publish(current.id, context);
    }
    const rest = changedValues(wanted, names, defaults);
    const isDraftElsewhere = publishes && !sameJson(publishedOf(body), draftOf(body));
    const changes = {
      ...rest,
      ...(isDraftElsewhere || (!publishes && names.includes('draft')) ? { draftConfig: draftOf(values) } : {}),
      ...(publishes && values.status !== undefined ? { status: values.status } : {}),
      ...(publishes && values.isProtected !== undefined ? { isProtected: values.isProtected } : {}),
    };
    if (Object.keys(changes).length > 0) {
      await context.call('decisionFlows.updateById', { params: { id: current.id }, body: changes });
    }
    return 'update';
  },
  async beforeDelete(current, context) {
    if (current.record.isProtected !== true) return [];
    await context.call('decisionFlows.updateById', { params: { id: current.id }, body: { isProtected: false } });
    return [{ path: 'isProtected', before: true, after: false }];
  },
  // Stored values belong to their node, wherever it is, and to both draft and published.
  maskOf(pointer, wanted, current, masked) {
    const place = secretPlace(wanted, pointer);
    if (place === null) return masked.get(pointer);
    const same = [...masked].flatMap(([at, mask]) => {
      const stored = secretPlace(current, at);
      return stored?.nodeId === place.nodeId && stored?.rest === place.rest ? [{ part: stored.part, mask }] : [];
    });
    return (same.find(({ part }) => part === place.part) ?? same[0])?.mask;
  },
  toPointer: (pointer) => pointer.replace(/^\/draftConfig(?=\/|$)/, '/draft'),
};

/** Returns the values of changed properties; a default where the file says nothing. */
export function changedValues(
  { values }: Pick<WantedBody, 'values'>,
  names: readonly string[],
  defaults: ReadonlyMap<string, Json>,
): Members {
  const entries = names.flatMap((name): [string, Json][] => {
    if (name === 'draft' || name === 'published') return [];
    const value = values[name] ?? defaults.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}
