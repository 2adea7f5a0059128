import { type UseComboboxReturnValue, type UseComboboxState, useCombobox } from 'downshift';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { pickTexts } from '../messages/lists/forms.ts';
import { cx } from './cx.ts';
import { controlClass, Field, type FieldLook, useField } from './field.tsx';

/** An option: a record, a time zone. */
export interface Pick {
  /** ID or key. */
  readonly value: string;
  readonly label: string;
  /** Distinguishes options with the same label. */
  readonly detail?: string;
}

interface ChooserProps {
  readonly label: string;
  /** Label of the selected option; empty for none. */
  readonly shown: string;
  /** Searches options, best first; an empty text returns the first ones. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Pick[]>;
  /** Null: the field was cleared. */
  readonly onPick: (pick: Pick | null) => void;
  /** An option is always selected: clearing the field has no effect. */
  readonly required?: boolean;
  /** Shown in the empty field; default "Any", as in filters. */
  readonly placeholder?: string;
}

export type PickFieldProps = Omit<FieldLook, 'label'> & ChooserProps & { readonly id?: string };

/** Debounce of searches, in milliseconds. */
const debounceMs = 120;

/** Selects one of many options by typing part of its label. Leaving the field discards text that wasn't selected. */
export function PickField(props: PickFieldProps) {
  const { label, help, error, optional, isRequired, labelHidden, className, id, ...rest } = props;
  return (
    <Field
      {...{ label, help, error, className, id }}
      isRequired={isRequired ?? false}
      optional={optional ?? false}
      labelHidden={labelHidden ?? false}
    >
      <Chooser label={label} {...rest} />
    </Field>
  );
}

interface PickSearch {
  readonly picks: readonly Pick[];
  /** The text they were found for; null: none was searched for. */
  readonly of: string | null;
  readonly status: 'searching' | 'found' | 'failed';
}

const nothingFound: PickSearch = { picks: [], of: null, status: 'searching' };

interface SearchOptions {
  readonly find: ChooserProps['find'];
  readonly wanted: string;
  readonly isOpen: boolean;
  readonly setFound: Dispatch<SetStateAction<PickSearch>>;
}

/** Searches while the list is open, once the user pauses. Until then the options of the text before stay. */
function useSearch({ find, wanted, isOpen, setFound }: SearchOptions): void {
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    setFound((before) => ({ ...before, status: 'searching' }));
    const begin = setTimeout(async () => {
      const found: PickSearch = await find(wanted, stop.signal).then(
        (picks) => ({ picks, of: wanted, status: 'found' }),
        // The list says so; the next keystroke searches again.
        () => ({ picks: [], of: wanted, status: 'failed' }),
      );
      if (!stop.signal.aborted) setFound(found);
    }, debounceMs);
    return () => {
      clearTimeout(begin);
      stop.abort();
    };
  }, [isOpen, wanted, find, setFound]);
}

/**
 * Searches at once for a text that was entered before its search ended, and passes on the best option, even if the focus
 * moves on in the meantime.
 */
function useEntry(find: ChooserProps['find'], onFound: (best: Pick | undefined) => void) {
  const latest = useRef(onFound);
  latest.current = onFound;
  const search = useRef<AbortController>(null);
  return {
    cancel: () => search.current?.abort(),
    async enter(text: string): Promise<void> {
      const stop = new AbortController();
      search.current = stop;
      // The list that opens without an option says why.
      const found = await find(text, stop.signal).catch(() => []);
      if (!stop.signal.aborted) latest.current(found[0]);
    },
  };
}

/** Numbers in a build, texts otherwise. */
const changeTypes = useCombobox.stateChangeTypes;

/** Adapts the library's state changes to a field that only Enter or a click changes. */
function adapt(
  state: UseComboboxState<Pick>,
  type: string,
  changes: Partial<UseComboboxState<Pick>>,
): Partial<UseComboboxState<Pick>> {
  // Leaving the field selects nothing: the highlighted option may belong to an earlier text.
  if (type === String(changeTypes.InputBlur)) return { ...state, isOpen: false };
  // The library resets its selection to none, which doesn't clear the field.
  if (type === String(changeTypes.ControlledPropUpdatedSelectedItem)) return state;
  // With the list closed, Escape is for the dialog around the field.
  if (type === String(changeTypes.InputKeyDownEscape)) return { ...state, isOpen: false };
  return changes;
}

function Chooser({ label, shown, find, onPick, required = false, placeholder = pickTexts.any }: ChooserProps) {
  const wiring = useField();
  const [{ picks, of, status }, setFound] = useState(nothingFound);
  const entry = useEntry(find, (best) => {
    if (best === undefined) box.openMenu();
    else {
      box.setInputValue(best.label);
      onPick(best);
    }
  });
  const box = useCombobox<Pick>({
    items: [...picks],
    inputId: wiring.id,
    // The page stores the selection. With none here, the same option can be selected again after the page removed it.
    selectedItem: null,
    initialInputValue: shown,
    defaultHighlightedIndex: 0,
    itemToString: (pick) => pick?.label ?? '',
    stateReducer: (state, { type, changes }) => adapt(state, String(type), changes),
    onInputValueChange: ({ inputValue, type }) => {
      entry.cancel();
      // Only typing clears it. The library also empties the field on focus, including after a click on an option.
      if (type === changeTypes.InputChange && inputValue === '' && !required) onPick(null);
    },
    onSelectedItemChange: ({ selectedItem }) => {
      if (selectedItem) onPick(selectedItem);
    },
  });
  const { isOpen, inputValue, setInputValue } = box;
  const [isEditing, setEditing] = useState(false);
  // A click on an option takes the focus back before the page knows what was picked.
  useEffect(() => setInputValue(shown), [shown, setInputValue]);
  const wanted = inputValue === shown ? '' : inputValue.trim();
  useSearch({ find, wanted, isOpen, setFound });
  return (
    <div className="relative">
      <input
        {...box.getInputProps({
          ...wiring,
          'aria-label': label,
          'aria-labelledby': undefined,
          onFocus: () => {
            setInputValue(shown);
            setEditing(true);
          },
          onBlur: () => setEditing(false),
          onKeyDown: (event) => {
            if (event.key !== 'Enter' || !isOpen || of === wanted) return;
            // The list is still that of an earlier text.
            event.preventDefault();
            Object.assign(event.nativeEvent, { preventDownshiftDefault: true });
            box.closeMenu();
            void entry.enter(wanted);
          },
        })}
        // Outside of editing, the field shows the selection, whatever was typed and whenever the selection changes.
        value={isEditing ? inputValue : shown}
        data-list-open={isOpen || undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={required ? shown : placeholder}
        aria-required={required || undefined}
        className={controlClass}
      />
      <List box={box} label={label} picks={picks} />
      {isOpen && picks.length === 0 ? (
        <p role="status" className="pt-1 text-caption text-soft">
          {pickTexts[status]}
        </p>
      ) : null}
    </div>
  );
}

interface OptionListProps {
  readonly box: UseComboboxReturnValue<Pick>;
  readonly label: string;
  readonly picks: readonly Pick[];
}

function List({ box: { isOpen, highlightedIndex, getMenuProps, getItemProps }, label, picks }: OptionListProps) {
  const isShown = isOpen && picks.length > 0;
  return (
    <ul
      {...getMenuProps({ 'aria-label': label, 'aria-labelledby': undefined })}
      className={cx(
        'absolute inset-x-0 top-full z-20 mt-1 max-h-52 overflow-y-auto rounded-card border border-line bg-raised p-1 shadow-overlay',
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
