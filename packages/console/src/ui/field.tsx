import { CircleAlert } from 'lucide-react';
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';
import { uiTexts } from '../messages/ui.ts';
import { cx } from './cx.ts';

export interface FieldLook {
  readonly label: string;
  readonly help?: ReactNode;
  /** What is wrong with it, in a sentence. */
  readonly error?: string | undefined;
  /** Spelled out after the label of fields that may stay empty, in forms whose other fields are required. */
  readonly optional?: boolean;
  /** Spelled out after the label, in forms whose other fields may stay empty. */
  readonly isRequired?: boolean;
  /** Only for screen readers: the label is shown elsewhere (a filter, a cell). */
  readonly labelHidden?: boolean;
  readonly className?: string | undefined;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

const FieldContext = createContext<Wiring | null>(null);

/** IDs that tie a control to the Field around it. */
export function useField(): Wiring {
  const wiring = useContext(FieldContext);
  if (!wiring) throw new Error('a control must be inside a Field');
  return wiring;
}

export interface FieldProps extends FieldLook {
  /** Own id of the control, so that summaries of errors can link to it. */
  readonly id?: string | undefined;
  readonly children: ReactNode;
}

/** Label above, control, then the error or the help. The control takes its ids from `useField`. */
export function Field(props: FieldProps) {
  const { label, help, error, optional, isRequired, labelHidden, id, className, children } = props;
  const own = useId();
  const control = id ?? own;
  const noteId = `${control}-note`;
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={control} className={labelHidden ? 'hidden-text' : 'w-fit text-dense font-medium text-ink'}>
        {label}
        {optional || isRequired ? (
          <span className="ms-1.5 font-normal text-faint">{optional ? uiTexts.optional : uiTexts.required}</span>
        ) : null}
      </label>
      <FieldContext
        value={{
          id: control,
          'aria-describedby': error || help ? noteId : undefined,
          'aria-invalid': error ? true : undefined,
        }}
      >
        {children}
      </FieldContext>
      {error ? (
        <p id={noteId} className="flex items-start gap-1 text-caption text-block">
          <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          <span className="block first-letter:uppercase">{error}</span>
        </p>
      ) : help ? (
        <p id={noteId} className="max-w-[72ch] text-caption text-soft">
          {help}
        </p>
      ) : null}
    </div>
  );
}

export const controlClass =
  'h-8 w-full min-w-0 rounded-control border border-line-strong bg-surface px-2.5 text-body text-ink aria-invalid:border-block [&[readonly]]:bg-sunken disabled:bg-sunken disabled:text-faint';

export interface TextFieldProps extends FieldLook, Omit<ComponentProps<'input'>, 'className'> {
  /** Shown inside the field, after the text: "hours". */
  readonly unit?: string | undefined;
  /** Shown inside the field, before the text. */
  readonly icon?: ReactNode;
  readonly mono?: boolean;
}

function Input(props: Omit<TextFieldProps, keyof FieldLook>) {
  const { unit, icon, mono, ...rest } = props;
  const wiring = useField();
  return (
    <span className="relative flex items-center">
      {icon ? (
        <span aria-hidden className="pointer-events-none absolute start-2.5 text-faint [&>svg]:size-4">
          {icon}
        </span>
      ) : null}
      <input
        {...rest}
        {...wiring}
        className={cx(
          controlClass,
          mono && 'font-mono text-dense',
          icon !== undefined && 'ps-8',
          unit !== undefined && 'pe-14',
        )}
      />
      {unit ? <span className="pointer-events-none absolute end-2.5 text-caption text-soft">{unit}</span> : null}
    </span>
  );
}

/** One line of text, a number, a date, a password: whatever `type` says. */
export function TextField(props: TextFieldProps) {
  const { label, help, error, optional, isRequired, labelHidden, className, id, ...rest } = props;
  return (
    <Field
      {...{ label, help, error, className, id }}
      isRequired={isRequired ?? false}
      optional={optional ?? false}
      labelHidden={labelHidden ?? false}
    >
      <Input {...rest} />
    </Field>
  );
}

export interface TextAreaFieldProps extends FieldLook, Omit<ComponentProps<'textarea'>, 'className'> {
  readonly mono?: boolean;
}

function Area({ mono, ...rest }: Omit<TextAreaFieldProps, keyof FieldLook>) {
  return (
    <textarea
      rows={4}
      {...rest}
      {...useField()}
      className={cx(controlClass, 'h-auto py-1.5', mono && 'font-mono text-dense')}
    />
  );
}

/** Several lines of text. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { label, help, error, optional, isRequired, labelHidden, className, id, ...rest } = props;
  return (
    <Field
      {...{ label, help, error, className, id }}
      isRequired={isRequired ?? false}
      optional={optional ?? false}
      labelHidden={labelHidden ?? false}
    >
      <Area {...rest} />
    </Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

export interface SelectFieldProps extends FieldLook, Omit<ComponentProps<'select'>, 'className' | 'children'> {
  readonly options: readonly Option[];
  /** Shown for the value "": "Any channel". */
  readonly placeholder?: string | undefined;
}

function Choice({ options, placeholder, ...rest }: Omit<SelectFieldProps, keyof FieldLook>) {
  return (
    <select {...rest} {...useField()} className={cx(controlClass, 'pe-7')}>
      {placeholder === undefined ? null : <option value="">{placeholder}</option>}
      {options.map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** One of a few. The browser's own list, which every device and reader knows. */
export function SelectField(props: SelectFieldProps) {
  const { label, help, error, optional, isRequired, labelHidden, className, id, ...rest } = props;
  return (
    <Field
      {...{ label, help, error, className, id }}
      isRequired={isRequired ?? false}
      optional={optional ?? false}
      labelHidden={labelHidden ?? false}
    >
      <Choice {...rest} />
    </Field>
  );
}

export interface CheckFieldProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'disabled'> {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  /** Why it can't be changed. It keeps its place in the tab order, so that it and the reason can be read. */
  readonly disabledReason?: string | null;
}

/** Yes or no. */
export function CheckField({ label, help, disabledReason = null, ...rest }: CheckFieldProps) {
  const helpId = useId();
  const reasonId = useId();
  const isDisabled = disabledReason !== null;
  const described = [help ? helpId : '', isDisabled ? reasonId : ''].filter((id) => id !== '').join(' ');
  return (
    <div className="flex flex-col gap-0.5">
      <label className="flex min-h-6 w-fit min-w-6 items-center gap-2 text-body">
        <input
          {...rest}
          {...(isDisabled ? { 'aria-disabled': true, onChange: () => undefined } : {})}
          type="checkbox"
          aria-describedby={described === '' ? undefined : described}
          className={cx('size-4 shrink-0', isDisabled && 'opacity-60')}
        />
        {label}
      </label>
      {help ? (
        <p id={helpId} className="ps-6 text-caption text-soft">
          {help}
        </p>
      ) : null}
      {isDisabled ? (
        <span id={reasonId} className="hidden-text">
          {disabledReason}
        </span>
      ) : null}
    </div>
  );
}

export interface CheckListProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly labels: Readonly<Record<Value, string>>;
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

/** Chooses several of a few options. */
export function CheckList<Value extends string>({ label, values, labels, chosen, onChange }: CheckListProps<Value>) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-dense font-medium">{label}</legend>
      {values.map((value) => (
        <CheckField
          key={value}
          label={labels[value]}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
          }
        />
      ))}
    </fieldset>
  );
}
