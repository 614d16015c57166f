import type { PeerBranch } from "./sqlite-store.ts"
import type { SharedStores } from "./shared-store.ts"

/** Starts a peer on an SQLite file, or on shared stores. */
export interface PeerRequest {
  readonly branch: PeerBranch
  readonly stores: { readonly file: string } | SharedStores
}

export interface PeerReport {
  readonly port: number
}
