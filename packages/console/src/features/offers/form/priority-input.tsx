import type { FieldInputProps } from '../../../forms/editing/field-props.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { Button } from '../../../ui/button.tsx';

/** The numbers that priority words stand for. */
const words = [
  { label: t.priorities.critical, value: 90 },
  { label: t.priorities.high, value: 70 },
  { label: t.priorities.medium, value: 50 },
  { label: t.priorities.low, value: 25 },
];

/** The priority as a word or a number. */
export function PriorityInput(props: FieldInputProps) {
  const { form, field } = props;
  const value = form.valueAt(field.path);
  return (
    <div className="flex flex-col gap-1.5">
      <FieldInput {...props} />
      <div className="flex flex-wrap gap-1.5">
        {words.map((word) => (
          <Button
            key={word.value}
            size="small"
            aria-pressed={value === word.value}
            aria-label={t.setPriority(word.label, word.value)}
            onClick={() => form.set(field.path, word.value)}
          >
            {word.label} {word.value}
          </Button>
        ))}
      </div>
    </div>
  );
}
