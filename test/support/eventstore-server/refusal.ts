import { Metadata, type status } from "@grpc/grpc-js"

/** A gRPC error. EventStoreDB names its own error in the header `exception`. */
export const refusal = (code: status, details: string, headers: Readonly<Record<string, string>> = {}) => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}
