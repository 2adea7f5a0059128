import { type Role, roles } from '@arbiter/contract/operation';

/** Who looks, as far as it decides what they can do about something. */
export interface Person {
  readonly userId: string | null;
  readonly role: Role;
}

/** A request to change a record, as far as the list needs it. */
export interface Request {
  readonly requesterId: string;
  readonly currentStage: number | null;
  readonly stages: readonly { readonly ordinal: number; readonly requiredRole: Role }[];
}

const reaches = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** Whether the open stage of a request is for this person to decide (docs/design/api-access.md 8). */
export function isForMe(request: Request, { userId, role }: Person, fourEyes: boolean): boolean {
  const stage = request.stages.find(({ ordinal }) => ordinal === request.currentStage);
  if (stage === undefined || !reaches(role, 'editor') || !reaches(role, stage.requiredRole)) return false;
  return !(fourEyes && request.requesterId === userId);
}

/** The last published version of a flow whose draft was saved after it; null: what is drafted is live, or nothing is. */
export function behindDraft(flow: {
  readonly status: string;
  readonly updatedAt: string;
  readonly publishedVersions: readonly { readonly version: number; readonly publishedAt: string }[];
}): number | null {
  const last = flow.publishedVersions.at(-1);
  if (last === undefined || flow.status !== 'active') return null;
  // Publishing itself changes the flow, in the same transaction.
  return Date.parse(flow.updatedAt) - Date.parse(last.publishedAt) > 1_000 ? last.version : null;
}
