import { useEffect, useRef, useState } from 'react';
import { checkFlow, type FormulaFinding } from '../../../engine-worker/flow.ts';
import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldInputProps } from '../../../forms/editing/field-props.ts';
import { formulaTexts as t } from '../../../messages/flows/flow-editor.ts';
import { Button } from '../../../ui/button.tsx';
import { useWordList } from '../../../ui/completion/use-word-list.ts';
import { type ListedWord, WordList } from '../../../ui/completion/word-list.tsx';
import { cx } from '../../../ui/cx.ts';
import { controlClass, Field, useField } from '../../../ui/field.tsx';
import { complete, completions, type FormulaPlace, type FormulaWord, formulaWords, wordAt } from './formula-words.ts';

export interface FormulaInputProps extends FieldInputProps {
  readonly place: FormulaPlace;
}

/** Edits a formula: completes names while the user types, and marks the character of an error. */
export function FormulaInput({ field, form, place }: FormulaInputProps) {
  const value = form.valueAt(field.path);
  const source = typeof value === 'string' ? value : '';
  const { findings, functions } = useFormulaCheck(source, place);
  const [finding] = source === '' ? [] : findings;
  const box = useRef<HTMLTextAreaElement>(null);
  const error = finding === undefined ? form.errors.get(field.path) : `${t.at(finding.at + 1)}: ${finding.message}`;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <Field
        id={fieldId(field.path)}
        label={field.label}
        help={t.help}
        isRequired={field.isRequired}
        // The form reports a missing value.
        error={error}
      >
        <FormulaControl
          box={box}
          source={source}
          place={place}
          functions={functions}
          onChange={(next) => form.set(field.path, next === '' ? undefined : next)}
        />
      </Field>
      {finding === undefined ? null : (
        <div className="flex flex-wrap items-center gap-2">
          <Excerpt source={source} at={finding.at} />
          <Button
            size="small"
            kind="quiet"
            onClick={() => {
              box.current?.focus();
              box.current?.setSelectionRange(finding.at, Math.min(source.length, finding.at + 1));
            }}
          >
            {t.goThere}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Characters shown around an error. */
const excerptSize = 24;

/** The formula around an error, with the character marked. */
function Excerpt({ source, at }: { readonly source: string; readonly at: number }) {
  const start = Math.max(0, at - excerptSize);
  const marked = source.slice(at, at + 1);
  return (
    <code
      aria-hidden
      dir="ltr"
      className="min-w-0 overflow-hidden rounded-control bg-sunken px-1.5 py-0.5 text-caption whitespace-pre"
    >
      {start > 0 ? '…' : ''}
      {source.slice(start, at)}
      <mark className="bg-block-soft text-block underline underline-offset-2">{marked === '' ? '␣' : marked}</mark>
      {source.slice(at + 1, at + excerptSize)}
      {source.length > at + excerptSize ? '…' : ''}
    </code>
  );
}

const nothing = { config: null, customFields: [] } as const;

/** Checks a formula with the engine's parser. */
function useFormulaCheck(source: string, { names, isBeforeScore }: FormulaPlace) {
  const [checked, setChecked] = useState<{
    readonly findings: readonly FormulaFinding[];
    readonly functions: readonly string[];
  }>({ findings: [], functions: [] });
  const known = names.join(' ');
  useEffect(() => {
    let isOver = false;
    const formula = { source, names: known === '' ? [] : known.split(' '), isBeforeScore };
    void checkFlow({ ...nothing, formula }).then((answer) => {
      if (!isOver) setChecked({ findings: answer.formula, functions: answer.functions });
    });
    return () => {
      isOver = true;
    };
  }, [source, known, isBeforeScore]);
  return checked;
}

interface FormulaControlProps {
  readonly box: React.RefObject<HTMLTextAreaElement | null>;
  readonly source: string;
  readonly place: FormulaPlace;
  readonly functions: readonly string[];
  readonly onChange: (source: string) => void;
}

function FormulaControl({ box, source, place, functions, onChange }: FormulaControlProps) {
  const wiring = useField();
  const customer = useCustomerFields();
  const { isOpen, control, list } = useWordList<FormulaWord & ListedWord>({
    box,
    value: source,
    onChange,
    completionAt: (text, caret) => {
      const typed = wordAt(text, caret);
      if (typed === null) return null;
      const columns = customer.map(({ name }) => name.replace(/^customer\./, ''));
      const found = completions(formulaWords(place, columns, functions), typed.text);
      return {
        words: found.map((word) => ({ ...word, detail: t[word.from] })),
        complete: (word) => complete(text, typed, word),
      };
    },
  });
  return (
    <div className="relative">
      <textarea
        {...wiring}
        {...control}
        ref={box}
        rows={3}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="off"
        role="combobox"
        aria-expanded={isOpen}
        className={cx(controlClass, 'h-auto py-1.5 font-mono text-dense')}
      />
      <WordList {...list} label={t.names} />
    </div>
  );
}
