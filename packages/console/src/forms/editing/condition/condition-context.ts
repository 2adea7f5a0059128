import type { ConditionField } from './condition-fields.ts';
import { type ConditionNode, type ConditionPlace, pointerOf } from './condition-model.ts';

/** What every row of the editor needs. */
export interface ConditionContext {
  readonly fields: readonly ConditionField[];
  /** Operators that may be used; undefined: all of the grammar. */
  readonly operators: ReadonlySet<string> | undefined;
  /** True: one list without groups inside. */
  readonly isFlat: boolean;
  /** ID of the first control, which starts the IDs of the others. */
  readonly id: string;
  /** What's wrong, by pointer from the condition. */
  readonly errorAt: (pointer: string) => string | undefined;
  readonly change: (place: ConditionPlace, change: (part: ConditionNode) => ConditionNode | null) => void;
  /** Moves the focus, once drawn, to the control with this ID. */
  readonly focus: (id: string) => void;
}

/** Shown place of a part: `2.1`. */
export const numberOf = (place: ConditionPlace): string => place.map((at) => at + 1).join('.');

/** ID of the first control of a part. */
export const partId = ({ id }: Pick<ConditionContext, 'id'>, place: ConditionPlace): string =>
  `${id}${pointerOf(place).replaceAll('/', '-')}`;

/** ID of the button that adds to a group. */
export const addId = (context: Pick<ConditionContext, 'id'>, place: ConditionPlace): string =>
  `${partId(context, place)}-add`;
