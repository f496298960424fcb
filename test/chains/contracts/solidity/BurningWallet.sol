// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A hostile wallet (EIP-1271)
/// @notice It confirms every signature while nobody pays for gas, as in most simulations. In a transaction it burns all
/// gas, as soon as `burns` is set.
contract BurningWallet {
    bool public burns;

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (tx.gasprice == 0 || !burns) return this.isValidSignature.selector;
        while (true) {}
        return 0;
    }
}
