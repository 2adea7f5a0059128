import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { textTexts as t } from '../../messages/content/texts.ts';
import { cx } from '../../ui/cx.ts';
import { controlClass, Field, type FieldProps, useField } from '../../ui/field.tsx';
import { type ListedWord, WordList } from '../../ui/word-list.tsx';
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

type Control = HTMLInputElement | HTMLTextAreaElement;

function TokenControl({
  isLong,
  words,
  value,
  onChange,
}: Required<Pick<TokenFieldProps, 'isLong' | 'words' | 'value' | 'onChange'>>) {
  const wiring = useField();
  const listId = useId();
  const box = useRef<Control>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const nextCaret = useRef<number | null>(null);
  useEffect(() => {
    if (nextCaret.current === null) return;
    box.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });
  const typed = caret === null ? null : tokenAt(value, caret);
  const found = typed === null ? [] : tokenCompletions(words, typed.text);
  const isOpen = found.length > 0;
  const take = (word: ListedWord) => {
    if (typed === null) return;
    const completed = completeToken(value, typed, word.text);
    nextCaret.current = completed.caret;
    setCaret(null);
    onChange(completed.text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const word = found[active];
    if (!isOpen || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % found.length);
    else if (event.key === 'ArrowUp') setActive((active + found.length - 1) % found.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && word !== undefined) take(word);
    else if (event.key === 'Escape') setCaret(null);
    else return;
    event.preventDefault();
  };
  const common = {
    ...wiring,
    value,
    'aria-autocomplete': 'list' as const,
    'aria-controls': listId,
    'aria-activedescendant': isOpen ? `${listId}-${active}` : undefined,
    dir: 'auto',
    onKeyDown,
    onBlur: () => setCaret(null),
    onChange: ({ target }: { readonly target: Control }) => {
      setActive(0);
      setCaret(target.selectionStart);
      onChange(target.value);
    },
  };
  return (
    <div className="relative">
      {isLong ? (
        <textarea
          {...common}
          ref={box as React.RefObject<HTMLTextAreaElement>}
          rows={6}
          className={cx(controlClass, 'h-auto py-1.5')}
        />
      ) : (
        <input {...common} ref={box as React.RefObject<HTMLInputElement>} className={controlClass} />
      )}
      <WordList id={listId} label={t.tokens} words={found} active={active} onTake={take} />
    </div>
  );
}
