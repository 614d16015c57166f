import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto"

export type Claims = Readonly<Record<string, unknown>>

/** A key of a provider, with its public half as a JWK. */
export const newSigningKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
  const kid = randomUUID()
  return {
    kid,
    privateKey,
    publicPem: publicKey.export({ format: "pem", type: "spki" }).toString(),
    jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }
  }
}

export type SigningKey = ReturnType<typeof newSigningKey>

const part = (value: Claims): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** An ID token with a signature of the key. */
export const signedToken = ({ kid, privateKey }: Pick<SigningKey, "kid" | "privateKey">, claims: Claims): string => {
  const content = `${part({ alg: "RS256", typ: "JWT", kid })}.${part(claims)}`
  return `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`
}

/** A token of the algorithm `none`. */
export const unsignedToken = (claims: Claims): string => `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`

/** A token of the algorithm HS256, signed with a text that the forger knows. */
export const hmacToken = (secret: string, claims: Claims, kid?: string): string => {
  const content = `${part({ alg: "HS256", typ: "JWT", ...(kid === undefined ? {} : { kid }) })}.${part(claims)}`
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`
}
