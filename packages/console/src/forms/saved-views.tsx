import { Pencil, Save, Trash2 } from 'lucide-react';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import {
  customerFilters,
  deleteView,
  type SavedView,
  saveView,
  useViews,
  type ViewRefusal,
} from '../data/saved/saved-views.ts';
import { listPanelTexts as t } from '../messages/lists/list-panel.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { Link, useLinks } from '../ui/link.tsx';
import { toast } from '../ui/overlays/toast.tsx';

export interface SavedViewsProps {
  readonly list: string;
  /** Search text of the current view. */
  readonly view: string;
}

/** Opens, renames, updates and deletes the views of a list, and saves the current one. */
export function SavedViews({ list, view }: SavedViewsProps) {
  const views = useViews(list);
  const links = useLinks();
  const path = links.here?.() ?? '';
  const isOfCustomer = customerFilters(view).length > 0;
  const field = useRef<HTMLInputElement>(null);
  // The line that had the focus was deleted or replaced.
  const onLeft = () => field.current?.focus();
  return (
    <div className="flex flex-col gap-2">
      {views.length === 0 ? null : (
        <ul className="flex flex-col">
          {views.map((each) => (
            <ViewLine key={each.name} list={list} view={each} shown={view} path={path} onLeft={onLeft} />
          ))}
        </ul>
      )}
      {isOfCustomer ? (
        <p className="text-warn">{t.refusals.customer}</p>
      ) : (
        <NewView list={list} view={view} field={field} />
      )}
      <p className="text-caption text-soft">{t.viewsHelp}</p>
      <div>
        <Copy labelled what={t.link} text={`${globalThis.location.origin}${links.href(`${path}${view}`)}`} />
      </div>
    </div>
  );
}

function NewView({ list, view, field }: SavedViewsProps & { readonly field: RefObject<HTMLInputElement | null> }) {
  const [name, setName] = useState('');
  const [refusal, setRefusal] = useState<ViewRefusal | null>(null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const found = saveView(list, { name, search: view });
    setRefusal(found);
    if (found === null) setName('');
  };
  return (
    <form onSubmit={save} className="flex items-start gap-2">
      <TextField
        className="grow"
        label={t.name}
        labelHidden
        ref={field}
        placeholder={t.name}
        value={name}
        error={refusal === null ? undefined : t.refusals[refusal]}
        onChange={(event) => {
          setName(event.target.value);
          setRefusal(null);
        }}
      />
      <Button submit>{t.save}</Button>
    </form>
  );
}

interface ViewLineProps {
  readonly list: string;
  readonly view: SavedView;
  /** Search text of the current view. */
  readonly shown: string;
  readonly path: string;
  /** Moves the focus when the line is deleted. */
  readonly onLeft: () => void;
}

function ViewLine({ list, view, shown, path, onLeft }: ViewLineProps) {
  const [isNaming, setNaming] = useState(false);
  const { name, search } = view;
  const isOn = search === shown;
  if (isNaming) {
    const leave = () => {
      setNaming(false);
      onLeft();
    };
    return <NewName list={list} view={view} onDone={leave} />;
  }
  const remove = () => {
    onLeft();
    deleteView(list, name);
    toast({ text: t.removed(name), action: { label: t.undo, run: () => void saveView(list, view) } });
  };
  const overwrite = () => {
    if (saveView(list, { name, search: shown }, name) === null) toast({ text: t.overwritten(name) });
  };
  return (
    <li className="flex min-h-8 items-center gap-1">
      <span className="flex min-w-0 flex-1 items-center gap-2">
        <Link to={`${path}${search}`} aria-current={isOn ? 'true' : undefined} className="truncate py-1" dir="auto">
          {name}
        </Link>
        {isOn ? <span className="shrink-0 text-caption text-faint">{t.isOn}</span> : null}
      </span>
      {isOn || customerFilters(shown).length > 0 ? null : (
        <Button
          kind="quiet"
          size="small"
          aria-label={t.overwrite(name)}
          icon={<Save aria-hidden className="size-3.5" />}
          onClick={overwrite}
        />
      )}
      <Button
        kind="quiet"
        size="small"
        aria-label={t.rename(name)}
        icon={<Pencil aria-hidden className="size-3.5" />}
        onClick={() => setNaming(true)}
      />
      <Button
        kind="quiet"
        size="small"
        aria-label={t.remove(name)}
        icon={<Trash2 aria-hidden className="size-3.5" />}
        onClick={remove}
      />
    </li>
  );
}

interface NewNameProps {
  readonly list: string;
  readonly view: SavedView;
  readonly onDone: () => void;
}

function NewName({ list, view, onDone }: NewNameProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const [text, setText] = useState(view.name);
  const [refusal, setRefusal] = useState<ViewRefusal | null>(null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const found = saveView(list, { name: text, search: view.search }, view.name);
    setRefusal(found);
    if (found === null) onDone();
  };
  return (
    <li>
      <form onSubmit={save} className="flex items-start gap-2 py-1">
        <TextField
          className="grow"
          label={t.renameField(view.name)}
          labelHidden
          ref={field}
          value={text}
          error={refusal === null ? undefined : t.refusals[refusal]}
          onChange={(event) => {
            setText(event.target.value);
            setRefusal(null);
          }}
        />
        <Button submit>{t.saveChange}</Button>
        <Button kind="quiet" onClick={onDone}>
          {t.cancel}
        </Button>
      </form>
    </li>
  );
}
