// The web console comes here. Its walls stand already (tools/walls/import-rules.ts): contract, sdk and engine, never server.
export {};
