import { type RegistryStatus, registryStatuses } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import { registryMoves } from '../../../catalogue/models/index.ts';
import { type Members, membersOf } from '../json.ts';
import type { KindRules, RuleContext } from './kind-rules.ts';

const isStatus = (value: Json | undefined): value is RegistryStatus =>
  registryStatuses.some((status) => status === value);

/** A model without family whose place in the registry never changed leaves it out. */
const withoutUsual = ({ registryStatus, ...rest }: Members): Members =>
  registryStatus === undefined || (registryStatus === 'draft' && (rest.family ?? null) === null)
    ? rest
    : { ...rest, registryStatus };

/** Moves a model in the registry, step by step as `promote` allows it. */
async function moveTo(id: string, to: Json | undefined, { call }: RuleContext): Promise<void> {
  if (!isStatus(to)) return;
  const { registryStatus: from } = membersOf(await call('algorithmModels.get', { params: { id } }));
  if (!isStatus(from)) throw new Error('a model has a registry status');
  for (const toStatus of registryMoves(from, to)) {
    await call('algorithmModels.promote', { params: { id }, body: { toStatus } });
  }
}

/**
 * Models: a flow may name a family, which means its champion, so files include a model's place in the registry. Without
 * it, the model keeps its place.
 */
export const modelRules: KindRules = {
  adds: ['registryStatus'],
  changes: ['registryStatus'],
  always: ['registryStatus'],
  toFile: withoutUsual,
  normalise: withoutUsual,
  problems: ({ registryStatus }) =>
    registryStatus === undefined || isStatus(registryStatus)
      ? []
      : [{ pointer: '/registryStatus', message: `must be one of ${registryStatuses.join(', ')}` }],
  async create({ values }, context) {
    const { registryStatus, ...body } = values;
    const id = String(membersOf(await context.call('algorithmModels.create', { body })).id);
    await moveTo(id, registryStatus, context);
    return id;
  },
  async update({ id }, { values }, names, context, update) {
    const moves = names.includes('registryStatus');
    const { registryStatus } = values;
    // A champion can't change its family: it either takes its new place first, or moves there afterwards.
    if (moves && registryStatus !== 'champion') await moveTo(id, registryStatus, context);
    const others = names.filter((name) => name !== 'registryStatus');
    if (others.length > 0) await update(others);
    if (moves && registryStatus === 'champion') await moveTo(id, registryStatus, context);
    return 'update';
  },
};
