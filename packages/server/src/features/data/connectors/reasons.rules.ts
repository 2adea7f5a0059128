import { type ConnectorReason, type ConnectorType, connectorTypeInfo } from '@arbiter/contract';

const texts: Readonly<Record<ConnectorReason, (label: string) => string>> = {
  ok: (label) => `${label} can be read.`,
  missing_config: () => 'Required settings are missing or wrong.',
  coming_soon: (label) => `${label} can't be read yet. Runs that read it read no rows.`,
  driver_missing: (label) => `The driver of ${label} isn't installed on this server.`,
  blocked_address: () =>
    'The address is private or reserved, or its port is not open to connectors. The operator can allow it.',
  dns_failed: () => "The host name can't be resolved. Check its spelling.",
  connect_timeout: () => "The server didn't answer in time. Check the host, the port and the firewall.",
  connection_refused: () => 'The server refused the connection. Check the host and the port.',
  tls_failed: () => 'No encrypted connection could be set up. Check the TLS setting and the certificate.',
  auth_failed: () => 'The server rejected the credentials.',
  permission_denied: () => "The credentials don't allow reading. Grant read access.",
  not_found: () => "The server doesn't have what the settings name. Check the names.",
  rate_limited: () => 'The server gets too many requests. Try again later.',
  unexpected_response: () => "The server's answer isn't what its type should send.",
  parse_failed: () => "The content can't be parsed. Check the format and the encoding.",
  circuit_open: () => 'The last five tries failed. The next try is possible in up to 30 seconds.',
};

/** Returns the sentence for a reason. Never has the source's own text (docs/design/quality.md T8). */
export function messageOf(
  type: ConnectorType,
  reason: ConnectorReason,
  { line, driver }: { readonly line?: number | undefined; readonly driver?: string | undefined } = {},
): string {
  const text = texts[reason](connectorTypeInfo(type).label);
  if (driver !== undefined)
    return `${text} Ask the operator to install ${driver} with "arbiter connectors install ${type}".`;
  return line === undefined ? text : `${text} The problem is in line ${line}.`;
}
