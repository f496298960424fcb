// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title For tests: a token of the old kind, whose functions return nothing and whose refusals are without a word, by
/// an invalid instruction that uses up all the gas
contract NoReturnToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _require(allowance[from][msg.sender] >= amount);
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        _require(balanceOf[from] >= amount);
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    function _require(bool condition) private pure {
        if (condition) return;
        assembly ("memory-safe") {
            invalid()
        }
    }
}
