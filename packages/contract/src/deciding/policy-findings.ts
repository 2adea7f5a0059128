import Type, { type Static } from 'typebox';
import { JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

// What a check of the catalogue finds (docs/design/lead.md 5).

const text = (description: string) => Type.String({ description });

/** What the check can find, with its severity: the first lines are errors, the last one is information. */
export const findingCodes = [
  ...['never_eligible', 'gates_exclude', 'no_creative', 'no_placement', 'no_channel', 'content_unpublished'],
  ...['schedule_over', 'schedule_empty', 'budget_zero', 'stock_zero'],
  ...['node_unreachable', 'branch_dead', 'call_flow_closed', 'empty_after'],
  ...['condition_always_false', 'condition_always_true', 'condition_shadowed', 'rule_duplicate', 'unknown_value'],
  ...['cap_always_binds', 'policy_lifted_always', 'policy_no_target', 'exclusion_of_one', 'mandatory_conflict'],
  ...['outranked', 'coupling_always_empty', 'explore_no_effect', 'segment_empty', 'metric_unset', 'cap_never_binds'],
] as const;

const FindingSubject = Type.Object(
  {
    type: StringEnum(
      ['offer', 'creative', 'placement', 'qualificationRule', 'contactPolicy', 'decisionFlow', 'flowNode'],
      { description: 'Type of the record.' },
    ),
    id: text('ID of the record, or of the node in its flow.'),
    name: text('Its name.'),
    path: text('JSON Pointer into the record, or for a node into the config of its flow. Empty for the whole record.'),
  },
  { description: 'A record or a part of one.' },
);

export const FindingWitness = Type.Object(
  {
    at: Timestamp('Time of the decision.'),
    profile: JsonObject('Values under `customer.`. Values left out are missing.'),
    attributes: JsonObject('Attributes of the request.'),
    context: JsonObject('Context of the request.'),
    segments: Type.Array(Type.String(), { description: 'Segments of the customer or the request.' }),
    channelId: Nullable(Type.String(), { description: 'Channel of the request, or null for any.' }),
  },
  { description: 'A customer and a request for which the engine returns the offer.' },
);

const FindingRepair = Type.Object(
  {
    without: Type.Array(FindingSubject, { description: 'What to remove or change. None can be left out.' }),
    witness: FindingWitness,
  },
  { description: 'One of the smallest changes that make the offer available, verified by a decision for the witness.' },
);

export const PolicyFinding = Type.Object(
  {
    code: StringEnum(findingCodes, { description: 'What was found.' }),
    severity: StringEnum(['error', 'warning', 'info'], {
      description: '`error`: something never works. `warning`: something has no effect.',
    }),
    subject: FindingSubject,
    core: Type.Array(FindingSubject, {
      description: 'Gates that exclude each other. Removing any one resolves the conflict. Empty for other findings.',
    }),
    repairs: Type.Array(FindingRepair, { description: 'Smallest changes that resolve it, each one tried.' }),
    message: text('The finding as a sentence.'),
  },
  { description: 'Something that never works or has no effect.' },
);
export type PolicyFinding = Static<typeof PolicyFinding>;
