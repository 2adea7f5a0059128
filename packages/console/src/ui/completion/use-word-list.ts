import { type ChangeEvent, type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { ListedWord } from './word-list.tsx';

type Control = HTMLInputElement | HTMLTextAreaElement;

/** The words that complete what is being typed, and the text that each makes of the field. */
interface Completion<Word extends ListedWord> {
  readonly words: readonly Word[];
  readonly complete: (word: Word) => { readonly text: string; readonly caret: number };
}

interface WordListOptions<Word extends ListedWord> {
  readonly box: RefObject<HTMLInputElement | null> | RefObject<HTMLTextAreaElement | null>;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Returns what completes the text at the caret; null where nothing does. */
  readonly completionAt: (text: string, caret: number) => Completion<Word> | null;
}

/**
 * Completes words in a text field while the user types: arrow keys choose, Enter and Tab insert, Escape closes. Returns the
 * props of the field and of its `WordList`.
 */
export function useWordList<Word extends ListedWord = ListedWord>(options: WordListOptions<Word>) {
  const { box, value, onChange, completionAt } = options;
  const id = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const nextCaret = useRef<number | null>(null);
  useEffect(() => {
    if (nextCaret.current === null) return;
    box.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });
  const completion = caret === null ? null : completionAt(value, caret);
  const words = completion?.words ?? [];
  const isOpen = words.length > 0;
  const onTake = (word: Word) => {
    if (completion === null) return;
    const completed = completion.complete(word);
    nextCaret.current = completed.caret;
    setCaret(null);
    onChange(completed.text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const word = words[active];
    if (!isOpen || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % words.length);
    else if (event.key === 'ArrowUp') setActive((active + words.length - 1) % words.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && word !== undefined) onTake(word);
    else if (event.key === 'Escape') setCaret(null);
    else return;
    event.preventDefault();
  };
  const control = {
    value,
    'aria-autocomplete': 'list',
    'aria-controls': id,
    'aria-activedescendant': isOpen ? `${id}-${active}` : undefined,
    onKeyDown,
    onBlur: () => setCaret(null),
    onChange: ({ target }: ChangeEvent<Control>) => {
      setActive(0);
      setCaret(target.selectionStart);
      onChange(target.value);
    },
  } as const;
  return { isOpen, control, list: { id, words, active, onTake } };
}
