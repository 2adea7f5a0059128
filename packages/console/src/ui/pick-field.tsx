import { type UseComboboxReturnValue, type UseComboboxState, useCombobox } from 'downshift';
import { useEffect, useState } from 'react';
import { pickTexts } from '../messages/lists/forms.ts';
import { cx } from './cx.ts';
import { controlClass, Field, type FieldLook, useField } from './field.tsx';

/** One of many records, by its name. */
export interface Pick {
  /** What is chosen with it: an id, a key. */
  readonly value: string;
  readonly label: string;
  /** What tells it from others of its name. */
  readonly detail?: string;
}

interface ChooserProps {
  readonly label: string;
  /** What is chosen, in words; empty for nothing. */
  readonly shown: string;
  /** Looks for a text, best first; an empty text asks for the first ones. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Pick[]>;
  /** Null: the field was emptied. */
  readonly onPick: (pick: Pick | null) => void;
  /** Something is always chosen: a field that is left empty shows the choice again. */
  readonly required?: boolean;
}

export type PickFieldProps = Omit<FieldLook, 'label'> & ChooserProps;

/** How long typing must rest before the server is asked, in milliseconds. */
const restMs = 120;

/** Chooses one of many records by typing part of its name. What was typed and not chosen is taken back. */
export function PickField({ label, help, error, optional, labelHidden, className, ...rest }: PickFieldProps) {
  return (
    <Field {...{ label, help, error, className }} optional={optional ?? false} labelHidden={labelHidden ?? false}>
      <Chooser label={label} {...rest} />
    </Field>
  );
}

const changeTypes = useCombobox.stateChangeTypes;

/** What the library would do with a text that was left, or with Escape, is not what a filter wants. */
function decide(
  state: UseComboboxState<Pick>,
  type: string,
  changes: Partial<UseComboboxState<Pick>>,
  shown: string,
  required: boolean,
): Partial<UseComboboxState<Pick>> {
  // Only Enter or a press chooses; an emptied field chooses nothing.
  if (type === changeTypes.InputBlur)
    return { ...changes, inputValue: state.inputValue === '' && !required ? '' : shown };
  // With the list closed, Escape is for the dialog around the field.
  if (type === changeTypes.InputKeyDownEscape) return { ...state, isOpen: false };
  return changes;
}

function Chooser({ label, shown, find, onPick, required = false }: ChooserProps) {
  const wiring = useField();
  const [picks, setPicks] = useState<readonly Pick[]>([]);
  const [standing, setStanding] = useState<'searching' | 'found' | 'failed'>('searching');
  const box = useCombobox<Pick>({
    items: [...picks],
    inputId: wiring.id,
    // The page keeps the choice: with none here, the same one can be chosen again after the page took it back.
    selectedItem: null,
    initialInputValue: shown,
    defaultHighlightedIndex: 0,
    itemToString: (pick) => pick?.label ?? '',
    stateReducer: (state, { type, changes }) => decide(state, String(type), changes, shown, required),
    onInputValueChange: ({ inputValue }) => {
      if (inputValue === '' && !required) onPick(null);
    },
    onSelectedItemChange: ({ selectedItem }) => {
      if (selectedItem) onPick(selectedItem);
    },
  });
  const { isOpen, inputValue, setInputValue } = box;
  // The name of what an address says may come later than the field.
  useEffect(() => {
    if (document.activeElement?.id !== wiring.id) setInputValue(shown);
  }, [shown, setInputValue, wiring.id]);
  const wanted = inputValue === shown ? '' : inputValue.trim();
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    setStanding('searching');
    const begin = setTimeout(async () => {
      const found = await find(wanted, stop.signal).catch(() => null);
      if (stop.signal.aborted) return;
      setPicks(found ?? []);
      setStanding(found === null ? 'failed' : 'found');
    }, restMs);
    return () => {
      clearTimeout(begin);
      stop.abort();
    };
  }, [isOpen, wanted, find]);
  return (
    <div className="relative">
      <input
        {...box.getInputProps({
          ...wiring,
          'aria-label': label,
          'aria-labelledby': undefined,
          // The library leaves a text alone whose list is closed already.
          onBlur: () => {
            if (!isOpen && (required || inputValue !== '')) setInputValue(shown);
          },
        })}
        data-list-open={isOpen || undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={required ? shown : pickTexts.any}
        aria-required={required || undefined}
        className={controlClass}
      />
      <List box={box} label={label} picks={picks} />
      {isOpen && picks.length === 0 ? (
        <p role="status" className="pt-1 text-caption text-soft">
          {pickTexts[standing]}
        </p>
      ) : null}
    </div>
  );
}

interface ListProps {
  readonly box: UseComboboxReturnValue<Pick>;
  readonly label: string;
  readonly picks: readonly Pick[];
}

function List({ box: { isOpen, highlightedIndex, getMenuProps, getItemProps }, label, picks }: ListProps) {
  const isShown = isOpen && picks.length > 0;
  return (
    <ul
      {...getMenuProps({ 'aria-label': label, 'aria-labelledby': undefined })}
      className={cx(
        'absolute inset-x-0 top-full z-10 mt-1 max-h-52 overflow-y-auto rounded-card border border-line bg-raised p-1 shadow-overlay',
        !isShown && 'hidden',
      )}
    >
      {isShown
        ? picks.map((pick, index) => (
            <li
              key={pick.value}
              {...getItemProps({ item: pick, index })}
              className={cx(
                'flex min-h-8 cursor-pointer items-baseline gap-2 rounded-control px-2 py-1',
                index === highlightedIndex && 'bg-accent-soft text-accent-ink',
              )}
            >
              <span dir="auto" className="min-w-0 truncate">
                {pick.label}
              </span>
              {pick.detail === undefined ? null : (
                <span className="min-w-0 truncate text-caption text-soft">{pick.detail}</span>
              )}
            </li>
          ))
        : null}
    </ul>
  );
}
