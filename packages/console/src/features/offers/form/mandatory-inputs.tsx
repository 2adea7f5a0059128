import { userOperations } from '@arbiter/contract/identity/users';
import { boot, roleOf } from '../../../data/boot.ts';
import { useList } from '../../../data/use-operation.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { CheckField, SelectField } from '../../../ui/field.tsx';

type MandatoryParts = Pick<FormParts, 'form' | 'field'>;

/** Whether the offer is forced, and who answers for it. Only admins can change it. */
export function MandatoryInputs({ form, field }: MandatoryParts) {
  const { label, help } = field('/mandatory');
  const isMandatory = form.valueAt('/mandatory') === true;
  if (roleOf(boot()) !== 'admin') {
    return <CheckField {...{ label, help }} checked={isMandatory} disabledReason={editingTexts.needsRole('admin')} />;
  }
  return (
    <>
      <FieldInput form={form} field={field('/mandatory')} />
      {isMandatory ? (
        <>
          <FieldInput form={form} field={{ ...field('/mandatoryReason'), isRequired: true }} />
          <FieldInput form={form} field={{ ...field('/mandatoryExpiresAt'), isRequired: true }} />
          <ApproverInput form={form} field={field} />
        </>
      ) : null}
    </>
  );
}

/** The admin who approved it. */
function ApproverInput({ form, field }: MandatoryParts) {
  const { path, label, help } = field('/mandatoryApprovedBy');
  const users = useList(userOperations.list, { query: { limit: 200 } });
  const value = form.valueAt(path);
  const admins = users.rows.filter(({ role, status }) => role === 'admin' && status === 'active');
  return (
    <SelectField
      {...{ label, help }}
      id={fieldId(path)}
      error={form.errors.get(path)}
      required
      placeholder={t.chooseAdmin}
      options={admins.map(({ id, name, email }) => ({ value: id, label: name === '' ? email : `${name}, ${email}` }))}
      value={typeof value === 'string' ? value : ''}
      onChange={({ target }) => form.set(path, target.value === '' ? null : target.value)}
    />
  );
}
