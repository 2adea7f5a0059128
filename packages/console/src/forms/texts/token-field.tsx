import { useRef } from 'react';
import { textTexts as t } from '../../messages/content/texts.ts';
import { useWordList } from '../../ui/completion/use-word-list.ts';
import { type ListedWord, WordList } from '../../ui/completion/word-list.tsx';
import { cx } from '../../ui/cx.ts';
import { controlClass, Field, type FieldProps, useField } from '../../ui/field.tsx';
import { completeToken, tokenAt, tokenCompletions } from './token-words.ts';

export interface TokenFieldProps extends Omit<FieldProps, 'children'> {
  /** Several lines. */
  readonly isLong?: boolean;
  readonly words: readonly ListedWord[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text with tokens in braces, which are completed while they're typed. */
export function TokenField({ isLong = false, words, value, onChange, ...look }: TokenFieldProps) {
  return (
    <Field {...look}>
      <TokenControl {...{ isLong, words, value, onChange }} />
    </Field>
  );
}

type TokenControlProps = Required<Pick<TokenFieldProps, 'isLong' | 'words' | 'value' | 'onChange'>>;

function TokenControl({ isLong, words, value, onChange }: TokenControlProps) {
  const wiring = useField();
  const input = useRef<HTMLInputElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const { control, list } = useWordList({
    box: isLong ? area : input,
    value,
    onChange,
    completionAt: (text, caret) => {
      const typed = tokenAt(text, caret);
      if (typed === null) return null;
      return {
        words: tokenCompletions(words, typed.text),
        complete: (word) => completeToken(text, typed, word.text),
      };
    },
  });
  const common = { ...wiring, ...control, dir: 'auto' } as const;
  return (
    <div className="relative">
      {isLong ? (
        <textarea {...common} ref={area} rows={6} className={cx(controlClass, 'h-auto py-1.5')} />
      ) : (
        <input {...common} ref={input} className={controlClass} />
      )}
      <WordList {...list} label={t.tokens} />
    </div>
  );
}
