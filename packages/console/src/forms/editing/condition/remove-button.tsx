import { Trash2 } from 'lucide-react';
import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { Button } from '../../../ui/button.tsx';
import { addId, type ConditionContext } from './condition-context.ts';
import type { ConditionPlace } from './condition-model.ts';

export interface RemoveButtonProps {
  readonly place: ConditionPlace;
  /** What it removes: "Condition 2". */
  readonly what: string;
  readonly context: ConditionContext;
}

/** Removes a part of a condition. */
export function RemoveButton({ place, what, context }: RemoveButtonProps) {
  return (
    <Button
      size="small"
      kind="quiet"
      icon={<Trash2 aria-hidden className="size-4" />}
      aria-label={t.remove(what)}
      onClick={() => {
        context.change(place, () => null);
        context.focus(addId(context, place.slice(0, -1)));
      }}
    />
  );
}
