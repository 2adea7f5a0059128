import { cx } from '../cx.ts';

export interface ListedWord {
  readonly text: string;
  /** Where it comes from. */
  readonly detail: string;
}

export interface WordListProps<Word extends ListedWord> {
  readonly id: string;
  readonly label: string;
  readonly words: readonly Word[];
  /** Position of the word that Enter inserts. */
  readonly active: number;
  readonly onTake: (word: Word) => void;
}

/** Words that complete what is typed in the field above. The field has the focus and names the active one. */
export function WordList<Word extends ListedWord>({ id, label, words, active, onTake }: WordListProps<Word>) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={label}
      className={cx(
        'absolute inset-x-0 top-full z-20 mt-1 max-h-56 overflow-y-auto rounded-card border border-line bg-raised p-1 shadow-overlay',
        words.length === 0 && 'hidden',
      )}
    >
      {words.map((word, at) => (
        <div
          key={word.text}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(word);
          }}
          className={cx(
            'flex min-h-8 cursor-pointer items-center justify-between gap-2 rounded-control px-2',
            at === active && 'bg-accent-soft text-accent-ink',
          )}
        >
          <code className="min-w-0 truncate">{word.text}</code>
          <span className="shrink-0 text-caption text-soft">{word.detail}</span>
        </div>
      ))}
    </div>
  );
}
