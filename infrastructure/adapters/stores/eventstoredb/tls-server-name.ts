import { type ChannelCredentials, credentials } from "@grpc/grpc-js"
import { isIP } from "node:net"

/**
 * Makes connections over TLS to an IP address name no server. grpc-js sends every host as the TLS server name, which must
 * not be an IP address (RFC 6066, section 3): Node warns (DEP0123), and Deno refuses to connect. The certificate is still
 * checked against the IP address, which is the host of the connection.
 *
 * The vendor's client creates its credentials itself, so this replaces the function that it calls.
 */
export const omitIpServerNames = (): void => {
  credentials.createSsl = createSslWithoutIpNames
}

const { createSsl } = credentials

const createSslWithoutIpNames: typeof createSsl = (...options) => {
  const created = createSsl(...options)
  const createConnector: ChannelCredentials["_createSecureConnector"] = created._createSecureConnector.bind(created)
  created._createSecureConnector = (...target) => {
    const connector = createConnector(...target)
    const connection: { servername?: string } = Reflect.get(connector, "connectionOptions")
    if (isIP(connection.servername ?? "") !== 0) delete connection.servername
    return connector
  }
  return created
}
