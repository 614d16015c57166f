import type { Env } from "../service.ts"

export const CLIENT_ID = "sliptrail-console"
export const CLIENT_SECRET = "the-client-secret-of-a-test-provider"

/** Settings of a service that is a client of a test's provider. */
export const oidcEnv = (issuer: string, redirectOrigin: string): Env => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
  OIDC_REDIRECT_URL: `${redirectOrigin}/console/login/oidc/callback`,
  OIDC_ROLES: "slip-admins=admin,slip-support=support,slip-auditors=auditor"
})
