import { useState } from 'react';
import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { Button } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import type { ConditionGroup } from './condition-model.ts';
import { ConditionTextError, conditionAsText, textAsCondition } from './condition-text.ts';

export interface ConditionAsTextProps {
  readonly condition: ConditionGroup;
  readonly onApply: (condition: ConditionGroup) => void;
  readonly onCancel: () => void;
}

/** The whole condition as text, to read, copy and paste. */
export function ConditionAsText({ condition, onApply, onCancel }: ConditionAsTextProps) {
  const [text, setText] = useState(() => conditionAsText(condition));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const apply = () => {
    try {
      onApply(textAsCondition(text));
    } catch (error) {
      if (!(error instanceof ConditionTextError)) throw error;
      setProblem(t.problemAt(error.message, error.at));
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <TextAreaField
        label={t.text}
        help={t.textHelp}
        error={problem}
        mono
        spellCheck={false}
        autoFocus
        rows={4}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setProblem(undefined);
        }}
      />
      <div className="flex flex-wrap gap-1.5">
        <Button size="small" onClick={apply}>
          {t.apply}
        </Button>
        <Button size="small" kind="quiet" onClick={onCancel}>
          {t.asRows}
        </Button>
      </div>
    </div>
  );
}
