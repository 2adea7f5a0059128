import Type, { type Static } from 'typebox';
import { Int, JsonObject, Name, Timestamp } from '../core/schemas.ts';

// What a decision test gives and expects (docs/design/lead.md 5). Everything is named by key or name, so that a test means
// the same in a file, in another tenant and after a record was made again.

const closed = { additionalProperties: false } as const;
const offerName = (description = 'Name of the offer.') => Name(description, 200);
const values = (description: string) => JsonObject(description, { maxProperties: 200 });

const Counts = Type.Array(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Outcomes.' }), {
  minItems: 2,
  maxItems: 2,
  description: 'Positive and negative outcomes so far.',
  examples: [[3, 40]],
});

const countsBy = (description: string) => Type.Record(Name('Name.', 200), Counts, { maxProperties: 200, description });

const Contact = Type.Object(
  {
    offer: offerName('Name of the offer that the customer saw.'),
    channel: Type.Optional(Name('Key or name of the channel. Default: none.', 200)),
    creative: Type.Optional(
      Name("Name of the creative. Default: the offer's creative on the channel, if there is only one.", 200),
    ),
    at: Timestamp('When. Not after `now`.'),
    outcome: Type.Optional(Name('Key of an outcome that the contact had, at the same time. Default: none.', 100)),
  },
  { ...closed, description: 'An earlier contact.' },
);

const Placement = Type.Object(
  {
    placement: Name('Key or name of the placement.', 200),
    channel: Type.Optional(Name('Key or name of its channel. Default: the first that has such a placement.', 200)),
    limit: Type.Optional(Int(1, 50, 'Maximum items. Default: the slots of the placement.')),
  },
  { ...closed, description: 'A placement to fill.' },
);

const Request = Type.Object(
  {
    channel: Type.Optional(Name('Key or name of the channel, or a channel type. Default: all channels.', 200)),
    placement: Type.Optional(Name('Key, name or slot type of the placement. Default: none.', 200)),
    placements: Type.Optional(
      Type.Array(Placement, { minItems: 1, maxItems: 20, description: 'Placements to fill. Default: none.' }),
    ),
    limit: Type.Optional(Int(1, 50, "Maximum items. Default: the flow's.")),
    context: Type.Optional(values('What conditions read as `request.context.*`. Default empty.')),
    locale: Type.Optional(Type.String({ maxLength: 35, description: "Language tag. Default: the tenant's." })),
    currency: Type.Optional(Type.String({ maxLength: 3, description: "Currency code. Default: the tenant's." })),
    excludeOffers: Type.Optional(
      Type.Array(offerName(), { maxItems: 200, description: 'Offers that the caller rules out. Default: none.' }),
    ),
  },
  { ...closed, description: 'The request, as `POST /recommend` takes it.' },
);

export const DecisionTestGiven = Type.Object(
  {
    now: Timestamp('When the decision is made.'),
    customer: Type.Optional(
      values(
        'What conditions read as `customer.*`. Never the values of a real customer. Default: nothing is known of the customer.',
      ),
    ),
    attributes: Type.Optional(values('What conditions read as `attributes.*`. Default empty.')),
    segments: Type.Optional(
      Type.Array(Name('Name of the segment.', 200), {
        maxItems: 200,
        description: 'Segments that the customer belongs to. Default: none.',
      }),
    ),
    contacts: Type.Optional(
      Type.Array(Contact, { maxItems: 500, description: 'What the customer saw before. Default: nothing.' }),
    ),
    evidence: Type.Optional(
      Type.Object(
        {
          offers: Type.Optional(countsBy('By offer.')),
          categories: Type.Optional(countsBy('By category or sub-category.')),
          total: Type.Optional(Counts),
        },
        { ...closed, description: 'Outcomes of all customers so far. Default: none.' },
      ),
    ),
    request: Type.Optional(Request),
    seed: Type.Optional(Int(0, 999_999, 'Picks other random draws, as another request would.', { default: 0 })),
  },
  { ...closed, description: 'A fictional customer, what happened before, and the request. Never a real customer.' },
);
export type DecisionTestGiven = Static<typeof DecisionTestGiven>;

const Probability = Type.Array(Type.Number({ minimum: 0, maximum: 1, description: 'Probability.' }), {
  minItems: 2,
  maxItems: 2,
  description: 'Lowest and highest selection probability, 0 to 1.',
  examples: [[0.2, 0.4]],
});

export const DecisionTestExpect = Type.Object(
  {
    includes: Type.Optional(
      Type.Array(offerName(), { minItems: 1, maxItems: 50, description: 'Offers that are in the answer.' }),
    ),
    excludes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            offer: offerName(),
            by: Type.Optional(
              Name(
                'Name of the rule, policy or node that drops it, or the reason: `qualification`, `contact_policy`, `schedule`. Default: whatever drops it.',
                200,
              ),
            ),
          },
          { ...closed, description: 'An offer.' },
        ),
        { minItems: 1, maxItems: 200, description: 'Offers that are not in the answer.' },
      ),
    ),
    order: Type.Optional(
      Type.Array(offerName(), {
        minItems: 2,
        maxItems: 50,
        description: 'Offers that are in the answer in this order. Others may be between them.',
        examples: [['Loan', 'Savings account']],
      }),
    ),
    first: Type.Optional(offerName('The first offer.')),
    count: Type.Optional(Int(0, 50, 'Number of items.')),
    emptyReason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 50, description: 'Why the answer is empty: `qualify`, `no_channel`.' }),
    ),
    probability: Type.Optional(
      Type.Record(offerName(), Probability, {
        minProperties: 1,
        maxProperties: 50,
        description: 'Range of the selection probability of offers in the answer.',
        examples: [{ Loan: [0.2, 0.4] }],
      }),
    ),
  },
  { ...closed, minProperties: 1, description: 'What the answer must be. At least one expectation.' },
);
export type DecisionTestExpect = Static<typeof DecisionTestExpect>;
