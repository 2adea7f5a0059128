import { passwordRules } from '@arbiter/contract';
import { isNewPassword } from '../../../platform/formats.ts';

/** Maximum characters of the name of a person or a tenant. */
export const longestName = 100;

/** Returns the word for what's wrong with a new password, or null. */
export function passwordProblem(password: string, repeated: string | undefined): 'weak-password' | 'no-match' | null {
  const isLongEnough = password.length >= passwordRules.minimum && password.length <= passwordRules.maximum;
  if (!isLongEnough || !isNewPassword(password)) return 'weak-password';
  return password === repeated ? null : 'no-match';
}

export const isLikeAnAddress = (text: string): boolean => /^[^@\s]+@[^@\s]+$/.test(text.trim());
