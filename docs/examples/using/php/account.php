<?php
// Says whether the money went to our account. BASE_URL=… API_KEY=… php account.php PAYLOAD BANK_CODE BANK_NUMBER NAME

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $payload, $bankCode, $bankNumber, $nameTh] = $argv;

try {
    slipTrail('POST', '/v2/bank-accounts', ['bankCode' => $bankCode, 'bankNumber' => $bankNumber, 'nameTh' => $nameTh]);
} catch (SlipTrailError $error) {
    // The account is registered already.
    if ($error->getMessage() !== 'BANK_ACCOUNT_DUPLICATE') {
        throw $error;
    }
}

$slip = slipTrail('POST', '/v2/verify/bank', ['payload' => $payload, 'matchAccount' => true]);
echo $slip['matchedAccount'] === null
    ? 'not to us: ' . implode('; ', $slip['match']['reasons'])
    : 'to our account ' . $slip['matchedAccount']['bankNumber'], "\n";
