import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum } from '../core/schemas.ts';
import { CheckedVersion, checkedFlow, checkFindings, PolicyConflicts } from '../judging/checks.ts';
import { Overlay } from '../judging/overlays.ts';
import { StudyStarted } from '../judging/studies.ts';
import { FindingWitness } from './policy-findings.ts';

const durationMs = Type.Number({ description: 'Duration of the check in milliseconds.' });

export const OfferReach = Type.Object(
  {
    offerId: Id('The offer.'),
    ...checkedFlow,
    verdict: StringEnum(['shown', 'never', 'unknown'], {
      description:
        '`shown`: the witness gets it. `never`: proved that no customer, request and time gets it. `unknown`: neither.',
    }),
    witness: Nullable(FindingWitness, { description: 'A customer who gets it, or null.' }),
    findings: checkFindings,
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
      'Proves conflicts between schedules, targeting, eligibility, rules, policies and the nodes of a flow. Everything that is only known when deciding is assumed to pass. ' +
      'A check that takes longer than 2 seconds continues as a study, whose result `GET /studies/{id}` returns. Nothing else is stored.',
    body: Type.Object(
      {
        flowId: Type.Optional(IdText('Key or ID of the flow. Default: the default flow.')),
        version: Type.Optional(CheckedVersion),
        overlay: Type.Optional(Overlay),
        offerIds: Type.Optional(
          Type.Array(Id('Offer.'), { maxItems: 1000, description: 'Check only these offers. Default: everything.' }),
        ),
      },
      { description: 'What to check.', examples: [{ flowId: 'base', version: 'draft' }] },
    ),
    responses: {
      200: { description: 'The findings.', schema: PolicyConflicts },
      202: { description: 'The check continues as a study.', schema: StudyStarted },
    },
    errors: [
      'validation_failed',
      'not_found',
      'flow_not_published',
      'pipeline_invalid',
      'scoring_not_configured',
      'overlay_invalid',
      'study_running',
      'limit_reached',
    ],
  }),
  reach: operation({
    ...common,
    id: 'offers.reach',
    method: 'GET',
    path: '/api/v1/offers/{id}/reach',
    summary: 'Check whether anybody can get an offer',
    description: 'Returns a customer who gets it, or the conflict that blocks it for everyone.',
    params: Type.Object({ id: IdText('ID of the offer.') }, { description: 'The offer.' }),
    query: Type.Object(
      {
        flowId: Type.Optional(IdText('Key or ID of the flow. Default: the default flow.')),
      },
      { description: 'The flow to check.' },
    ),
    responses: { 200: { description: 'The result.', schema: OfferReach } },
    errors: ['validation_failed', 'not_found', 'flow_not_published'],
  }),
};
