/** Data keys of customers, wrapped under the tenant's key (envelope encryption; decisioning.md 3). */
export interface CustomerKeys {
  /** A new wrapped key. Throws AppError `not_configured` when the server has no encryption key. */
  create(tenantId: string): Buffer;
  /** The 32 byte key inside. Throws when it was wrapped for another tenant or under a key that is gone. */
  open(tenantId: string, wrapped: Buffer): Buffer;
}
