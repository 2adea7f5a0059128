import type { Operation } from '@arbiter/contract/operation';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { type Control, Controller, type Resolver, useForm } from 'react-hook-form';
import type { Failure } from '../data/failure.ts';
import { formTexts } from '../messages/forms.ts';
import { Button } from '../ui/button.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { checkBody } from './check.ts';
import { FailurePanel } from './failure-panel.tsx';
import { FieldInput } from './field-input.tsx';
import { type FormField, fieldAt, fieldsOf } from './fields.ts';
import { bodyOf, type FormValues, valuesOf } from './values.ts';

type Values = Record<string, string | boolean | string[]>;
type Body = Readonly<Record<string, unknown>>;

/** What a feature says of single fields; the schema stays as it is. */
export interface FieldOverride {
  readonly label?: string;
  readonly help?: string | null;
  readonly unit?: string;
  /** Words for the values of a choice. */
  readonly options?: Readonly<Record<string, string>>;
}

export interface SchemaFormProps {
  /** Its body says which fields there are. */
  readonly operation: Operation;
  /** The body at the beginning: the record that is changed, or the defaults of a new one. */
  readonly initial: Body;
  /** Which fields, in which order, by pointer; default: all of the schema. What has no field stays as it is in `initial`. */
  readonly only?: readonly string[];
  readonly overrides?: Readonly<Record<string, FieldOverride>>;
  readonly submitLabel?: string;
  readonly busy?: boolean;
  /** Why it cannot be sent: the role, a switched-off feature. */
  readonly disabledReason?: string | null;
  readonly failure: Failure | null;
  readonly onSubmit: (body: Body) => Promise<unknown>;
  readonly children?: ReactNode;
}

/**
 * A form made of the body of an operation: labels, help, limits and choices come from its schema, and so does the check
 * before it is sent. What the server finds lands on the same fields.
 */
export function SchemaForm(props: SchemaFormProps) {
  const { operation, initial, only, overrides = {}, busy = false, disabledReason = null, failure, onSubmit } = props;
  const schema = operation.body;
  if (schema === undefined) throw new Error(`${operation.id} has no body`);
  const fields = useMemo(() => chosen(fieldsOf(schema), only), [schema, only]);
  const defaults = useMemo(() => valuesOf(fields, initial), [fields, initial]);
  const resolver = useMemo<Resolver<Values>>(
    () => async (values) => {
      const { body, findings } = bodyOf(fields, values, initial);
      const all = findings.length > 0 ? findings : checkBody(schema, body);
      const errors = Object.fromEntries(
        all.map(({ path, message }) => [fieldAt(fields, path)?.pointer ?? 'root', { type: 'schema', message }]),
      );
      return all.length === 0 ? { values, errors: {} } : { values: {}, errors };
    },
    [fields, schema, initial],
  );
  const { control, handleSubmit, formState, setError, reset } = useForm<Values>({
    defaultValues: defaults,
    resolver,
    mode: 'onTouched',
  });
  useEffect(() => reset(defaults), [defaults, reset]);
  const shownPaths = useServerFindings(failure, fields, setError);
  const errors = fields.flatMap(({ pointer, label }) => {
    const message = formState.errors[pointer]?.message;
    return message === undefined ? [] : [{ pointer, label: overrides[pointer]?.label ?? label, message }];
  });
  const dirty = Object.keys(formState.dirtyFields).length;
  const submit = handleSubmit(async (values) => {
    await onSubmit(bodyOf(fields, values as FormValues, initial).body);
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {errors.length > 0 && formState.isSubmitted ? <Summary errors={errors} /> : null}
      {failure !== null && (errors.length === 0 || shownPaths.length === 0) ? (
        <FailurePanel failure={failure} operation={operation} retry="submit" shownPaths={shownPaths} />
      ) : null}
      {fields.map((field) => (
        <Bound key={field.pointer} field={field} control={control} override={overrides[field.pointer] ?? {}} />
      ))}
      {props.children}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" submit busy={busy} disabledReason={disabledReason}>
          {props.submitLabel ?? formTexts.save}
        </Button>
        {dirty === 0 ? null : (
          <>
            <Button kind="quiet" onClick={() => reset(defaults)}>
              {formTexts.discard}
            </Button>
            <span className="text-dense text-soft">{formTexts.changed(dirty)}</span>
          </>
        )}
      </div>
    </form>
  );
}

interface BoundProps {
  readonly field: FormField;
  readonly control: Control<Values>;
  readonly override: FieldOverride;
}

function Bound({ field, control, override }: BoundProps) {
  return (
    <Controller
      control={control}
      name={field.pointer}
      render={({ field: { value, onChange, onBlur, ref }, fieldState }) => (
        <FieldInput
          {...{ value, onChange, onBlur }}
          field={{ ...field, label: override.label ?? field.label, help: override.help ?? field.help }}
          unit={override.unit}
          words={override.options}
          inputRef={ref}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}

function chosen(fields: readonly FormField[], only: readonly string[] | undefined): readonly FormField[] {
  if (only === undefined) return fields;
  return only.flatMap((pointer) => fields.filter((field) => field.pointer === pointer));
}

/** Findings of the server on their fields, once for each answer; answers with the paths that have one. */
function useServerFindings(
  failure: Failure | null,
  fields: readonly FormField[],
  setError: (name: string, error: { type: string; message: string }) => void,
): readonly string[] {
  const entries = failure?.kind === 'refused' ? failure.problem.errors : [];
  const reported = useRef<Failure | null>(null);
  useEffect(() => {
    if (failure === null || reported.current === failure) return;
    reported.current = failure;
    for (const { path, message } of entries) {
      const field = fieldAt(fields, path);
      if (field !== null) setError(field.pointer, { type: 'server', message });
    }
  }, [failure, entries, fields, setError]);
  return entries.filter(({ path }) => fieldAt(fields, path) !== null).map(({ path }) => path);
}

/** What does not fit, at the top of the form; each line leads to its field. */
function Summary({ errors }: { errors: readonly { pointer: string; label: string; message: string }[] }) {
  return (
    <ProblemPanel
      title={formTexts.summary(errors.length)}
      details={errors.map(({ label, message }) => ({ label, message }))}
    />
  );
}
