import Type, { type Static } from 'typebox';
import { Id, Nullable, StringEnum } from '../core/schemas.ts';
import { PolicyFinding } from '../deciding/policy-findings.ts';
import { OverlayChange } from './overlays.ts';

// The request and result of a check of a flow with its catalogue (docs/design/lead.md 5).

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const CheckedVersion = Type.Union(
  [
    StringEnum(['published', 'draft'], { description: 'The published version, or the draft.' }),
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number.' }),
  ],
  { description: '`published` (default), `draft`, or the number of a published version.' },
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
      { description: 'Parts whose result depends on models, metrics or other services. They are assumed to pass.' },
    ),
  },
  { description: 'What the check knows. The absence of findings proves nothing about unknown offers.' },
);

export const checkedFlow = {
  flowId: Id('The flow that was checked.'),
  version: Nullable(Type.Integer(), { description: 'Its version, or null for the draft.' }),
};
export const checkFindings = Type.Array(PolicyFinding, { description: 'Findings, errors first, at most 1,000.' });

const checked = { ...checkedFlow, findings: checkFindings, coverage: Coverage };

export const CheckSpec = Type.Object(
  {
    version: Type.Union(
      [StringEnum(['draft'], { description: 'The draft.' }), Type.Integer({ description: 'Number.' })],
      {
        description: 'The checked version.',
      },
    ),
    offerIds: Nullable(Type.Array(Id('Offer.'), { description: 'Offers.' }), {
      description: 'Offers to check; null: everything.',
    }),
    overlay: Type.Optional(
      Type.Array(Type.Pick(OverlayChange, ['kind', 'key'], { description: 'A changed object.' }), {
        description: 'Objects that the overlay changes.',
      }),
    ),
  },
  { description: 'The request of a check that took too long to answer directly.' },
);
export type CheckSpec = Static<typeof CheckSpec>;

/** What a check finds, without the time it took. */
export const CheckResult = Type.Object(checked, { description: 'What never works or has no effect.' });
export type CheckResult = Static<typeof CheckResult>;

export const PolicyConflicts = Type.Object(
  { ...checked, durationMs: Type.Number({ description: 'Duration of the check in milliseconds.' }) },
  { description: 'What never works or has no effect.' },
);
export type PolicyConflicts = Static<typeof PolicyConflicts>;
