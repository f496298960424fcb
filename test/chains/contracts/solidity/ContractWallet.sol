// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A wallet that is a contract, for tests
/// @notice Its owner's key signs for it (EIP-1271), and tells it what to call.
contract ContractWallet {
    error NotOwner(address caller);
    error CallFailed(bytes reason);

    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    /// @notice The selector of this function where the owner has signed, zero where not.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecoverCalldata(hash, signature);
        bool isOwner = problem == ECDSA.RecoverError.NoError && signer == owner;
        return isOwner ? this.isValidSignature.selector : bytes4(0);
    }

    /// @notice Calls `to` in the wallet's name.
    function execute(address to, bytes calldata data) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        (bool isDone, bytes memory reason) = to.call(data);
        if (!isDone) revert CallFailed(reason);
    }
}
