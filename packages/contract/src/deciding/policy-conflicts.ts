import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum } from '../core/schemas.ts';
import { Overlay } from '../judging/overlays.ts';
import { FindingWitness, PolicyFinding } from './policy-findings.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Version of a flow to look at. */
export const flowVersion = Type.Optional(
  Type.Union(
    [
      StringEnum(['published', 'draft'], { description: 'Version by name.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number.' }),
    ],
    { description: '`published` (default), `draft`, or the number of a published version.' },
  ),
);

const Coverage = Type.Object(
  {
    offers: count('Offers checked.'),
    proved: count('Offers with a proven verdict: never shown, or shown to a witness.'),
    unknown: count('Offers for which neither is known.'),
    unread: Type.Array(
      Type.Object(
        {
          type: Type.String({ description: '`node:`, `rule:` or `policy:` and the type.' }),
          count: count('How many.'),
        },
        { description: 'Parts of one type.' },
      ),
      { description: 'Parts whose result depends on models, metrics or other services. They count as passed.' },
    ),
  },
  { description: 'What the check knows. The absence of findings proves nothing about unknown offers.' },
);

const checked = {
  flowId: Id('The flow that was checked.'),
  version: Nullable(Type.Integer(), { description: 'Its version, or null for the draft.' }),
};
const findings = Type.Array(PolicyFinding, { description: 'Findings, errors first, at most 1,000.' });
const durationMs = Type.Number({ description: 'Duration of the check in milliseconds.' });

export const PolicyConflicts = Type.Object(
  { ...checked, findings, coverage: Coverage, durationMs },
  { description: 'What never works or has no effect.' },
);
export type PolicyConflicts = Static<typeof PolicyConflicts>;

export const OfferReach = Type.Object(
  {
    offerId: Id('The offer.'),
    ...checked,
    verdict: StringEnum(['shown', 'never', 'unknown'], {
      description:
        '`shown`: the witness gets it. `never`: proved that no customer, request and time gets it. `unknown`: neither.',
    }),
    witness: Nullable(FindingWitness, { description: 'A customer who gets it, or null.' }),
    findings,
    durationMs,
  },
  { description: 'Whether an offer can be shown at all.' },
);
export type OfferReach = Static<typeof OfferReach>;

const common = {
  tag: 'Decisions',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  stopsWithCaller: true,
  rateLimits: [{ limit: 60, windowSeconds: 60, per: 'tenant', bucket: 'policy-conflicts' }],
  audit: [],
  transaction: 'own',
} as const;

export const policyConflictOperations = {
  analyze: operation({
    ...common,
    id: 'policyConflicts.analyze',
    method: 'POST',
    path: '/api/v1/policy-conflicts/analyze',
    summary: 'Find offers that nobody can get, and settings that have no effect',
    description:
      'Proves conflicts between schedules, targeting, eligibility, rules, policies and the nodes of a flow. Everything that is only known when deciding counts as passed. Stores nothing.',
    body: Type.Object(
      {
        flowId: Type.Optional(IdText('Key or id of the flow. Default: the default flow.')),
        version: flowVersion,
        overlay: Type.Optional(Overlay),
        offerIds: Type.Optional(
          Type.Array(Id('Offer.'), { maxItems: 1000, description: 'Check only these offers. Default: everything.' }),
        ),
      },
      { description: 'What to check.', examples: [{ flowId: 'base', version: 'draft' }] },
    ),
    responses: { 200: { description: 'The findings.', schema: PolicyConflicts } },
    errors: [
      'validation_failed',
      'not_found',
      'flow_not_published',
      'pipeline_invalid',
      'scoring_not_configured',
      'overlay_invalid',
    ],
  }),
  reach: operation({
    ...common,
    id: 'offers.reach',
    method: 'GET',
    path: '/api/v1/offers/{id}/reach',
    summary: 'Check whether anybody can get an offer',
    description: 'Returns a customer who gets it, or the conflict that keeps everybody from getting it.',
    params: Type.Object({ id: IdText('Id of the offer.') }, { description: 'The offer.' }),
    query: Type.Object(
      {
        flowId: Type.Optional(IdText('Key or id of the flow. Default: the default flow.')),
      },
      { description: 'The flow to check.' },
    ),
    responses: { 200: { description: 'The result.', schema: OfferReach } },
    errors: ['validation_failed', 'not_found', 'flow_not_published'],
  }),
};
