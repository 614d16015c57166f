import { Metadata, type status } from "@grpc/grpc-js"

/** An error as gRPC sends it; EventStoreDB says in the header `exception` which of its own it is. */
export const refusal = (code: status, details: string, headers: Readonly<Record<string, string>> = {}) => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}
