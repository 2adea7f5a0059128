// Words of connectors (docs/design/api-catalogue.md 14).

export const connectorCategories = [
  'database',
  'warehouse',
  'storage',
  'streaming',
  'crm',
  'marketing',
  'commerce',
  'support',
  'productivity',
  'api',
] as const;
export type ConnectorCategory = (typeof connectorCategories)[number];

export const connectorTypeStatuses = ['ready', 'coming_soon'] as const;
export type ConnectorTypeStatus = (typeof connectorTypeStatuses)[number];

export const connectorAuthMethods = [
  'basic',
  'access_key',
  'iam_role',
  'service_account',
  'account_key',
  'sas_token',
  'ssh_key',
  'key_pair',
  'sasl',
  'token',
  'api_key',
  'oauth2',
  'connection_string',
  'none',
] as const;
export type ConnectorAuthMethod = (typeof connectorAuthMethods)[number];

export const connectorProbes = ['tcp', 'bucket', 'sdk', 'api', 'http_head', 'file', 'none'] as const;
export type ConnectorProbe = (typeof connectorProbes)[number];

/** Why a test or a read ended as it did: the closed list. */
export const connectorReasons = [
  'ok',
  'missing_config',
  'coming_soon',
  'driver_missing',
  'blocked_address',
  'dns_failed',
  'connect_timeout',
  'connection_refused',
  'tls_failed',
  'auth_failed',
  'permission_denied',
  'not_found',
  'rate_limited',
  'unexpected_response',
  'parse_failed',
  'circuit_open',
] as const;
export type ConnectorReason = (typeof connectorReasons)[number];

export const connectorStatuses = ['active', 'error', 'inactive'] as const;
export type ConnectorStatus = (typeof connectorStatuses)[number];
